"""The CDK app on this machine: an AWS emulator, with every function as a process behind it."""
