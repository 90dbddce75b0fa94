"""Stands in for torch_sparse, which has no wheel for GraphLearn-for-PyTorch to import: it
converts graphs between formats with it, which ./dev bench peers does not ask for."""
