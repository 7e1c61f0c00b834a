"""The part of floe for GPUs: the module of `floe.cuda`, which is what to import."""
