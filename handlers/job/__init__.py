"""The job protocol: a JSONL object in, its predictions and a manifest out.

The bucket is the ledger. Every step can run twice, or die half-way, and the outcome is the same:

    plan    input/<endpoint>/<name>.jsonl   ->  jobs/<job>/plan.json, one message per shard
    score   one shard                       ->  jobs/<job>/parts/<n>.jsonl, then tallies/<n>.json
    finish  every tally stands              ->  output/<endpoint>/<name>.jsonl.out, then manifests
    bury    a shard failed on every try     ->  a part whose every record is an error, and its tally

What makes that true: a job's name follows from its source and its model, a part's bytes from its
shard, and the first tally and the first manifest of a name are the ones that stay.
"""
