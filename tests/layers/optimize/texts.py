"""Texts that tokenizers have reason to differ on."""

# Every word but the first begins with a letter that the byte-level vocabulary has together with the
# space before it, as one of full size has them all. A space that is a token of its own is a word to
# transformers.
PLAIN = [
    "Angela Merkel met Macron in München on the left",
    "the new restaurant in Madrid serves the best fish",
    "Der kleine Mann fährt leider nicht",
    "unbelievably floccinaucinihilipilificated discombobulation",
]
ODD = [
    "one  two   three",
    "Ada Lovelace, of London, met Mr. Babbage's engine (1843).",
    "\U0001f600 \U0001f469\u200d\U0001f4bb Ada\U0001f600Lovelace \U0001f1e9\U0001f1ea",
    "the \U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 of \U0001f3f3\ufe0f\u200d\U0001f308 Lisbon",
    "私は東京に住んでいます。Ada lives in 東京都",
    "東京は今日も雨です。",
    "cafe\u0301 nai\u0308ve e\u0301\u0302 re\u0301sume\u0301 in Zu\u0308rich",
    "  white \t space\n\n around \u00a0 it\u3000 ",
    "नमस्ते दुनिया สวัสดีชาวโลก שלום עולם",
    "ﬁne ① ½ \uff26\uff55\uff4c\uff4c İstanbul ß",
    "a",
    "!!! ... ---",
    "\u200b\u200bzero\u200bwidth",
    "don't won't I'm they'll e-mail@example.com https://example.com/a?b=c&d=e%20f#g",
    "a word typed as [SEP] or </s> or <unk> is one",
]
LONG = [
    "Angela Merkel met Emmanuel Macron in Paris " * 20,
    "東京" * 60,
    # Words that no window holds.
    "in " + "ab" * 45 + " Paris",
    "in " + "antidisestablishmentarianism" * 8 + " Paris",
]
EVERY = PLAIN + ODD + LONG
