"""Loaders of two augmented views of every image, as torchvision's users write them; for step.py."""

import functools

import torch
import torchvision
from safetensors.torch import load_file
from torchvision import transforms

BATCH = 256


class Images(torchvision.datasets.vision.StandardTransform, torch.utils.data.Dataset):
    """Gray images in memory, as torchvision's own MNIST classes hold them; an item is two views, batched by the loader."""

    def __init__(self, pixels, transform):
        super().__init__(transform)
        self.pixels = pixels.squeeze(-1).numpy()

    def __len__(self):
        return len(self.pixels)

    def __getitem__(self, i):
        image = transforms.functional.to_pil_image(self.pixels[i])
        return self.transform(image), self.transform(image)


def make(task, folder, workers):
    """Goes through the images again and again; the check is the mean of many views, whose distribution is known."""
    torch.manual_seed(0)
    if workers:
        torch.set_num_threads(1)
    transform = transforms.Compose([
        transforms.RandomResizedCrop(28, scale=(0.08, 1), ratio=(3 / 4, 4 / 3)),
        transforms.RandomApply([transforms.ColorJitter(0.4, 0.4)], p=0.8),
        transforms.ToTensor(),
    ])
    images = Images(load_file(folder / f"{task}.safetensors")["pixels"], transform)
    loader = torch.utils.data.DataLoader(images, BATCH, shuffle=True, drop_last=True, num_workers=workers, persistent_workers=workers > 0)
    mean = torch.stack([torch.stack(pair).mean() for pair in loader]).mean().item()
    batches = iter(())

    def step():
        nonlocal batches
        while True:
            for first, second in batches:
                return torch.cat([first, second])
            batches = iter(loader)

    return [mean], step


PEERS = {f"torchvision, {workers} workers": functools.partial(make, workers=workers) for workers in (0, 2)}
