"""Training steps of the small question-answering model in PyTorch, written from the formulas of TCL; for step.py."""

import copy
import functools

import torch
import torch.nn.functional as F
import torchvision
from safetensors.torch import load_file
from torch import nn

from train_torch import check_missing
from turns import CORES

DIM, HEADS, HIDDEN, COMMON, TEXT_LAYERS, FUSION_LAYERS = 64, 4, 128, 32, 2, 2
TAU, SOFT, MOMENTUM, MASK_WORDS, MASK = 0.07, 0.4, 0.995, 0.15, 4


class Attention(nn.Module):
    """What tokens see of others, with the shortcut and the normalization after it; names as Hugging Face has them."""

    def __init__(self):
        super().__init__()
        self.self = nn.ModuleDict({name: nn.Linear(DIM, DIM) for name in ("query", "key", "value")})
        self.output = nn.ModuleDict({"dense": nn.Linear(DIM, DIM), "LayerNorm": nn.LayerNorm(DIM, eps=1e-12)})

    def forward(self, x, others, mask=None):
        heads = lambda t: t.unflatten(2, (HEADS, DIM // HEADS)).transpose(1, 2)
        q, k, v = heads(self.self["query"](x)), heads(self.self["key"](others)), heads(self.self["value"](others))
        y = F.scaled_dot_product_attention(q, k, v, None if mask is None else mask[:, None, None])
        return self.output["LayerNorm"](x + self.output["dense"](y.transpose(1, 2).flatten(2)))


class Layer(nn.Module):
    def __init__(self, fusion):
        super().__init__()
        self.attention = Attention()
        if fusion:
            self.crossattention = Attention()
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(DIM, HIDDEN)})
        self.output = nn.ModuleDict({"dense": nn.Linear(HIDDEN, DIM), "LayerNorm": nn.LayerNorm(DIM, eps=1e-12)})

    def forward(self, x, mask, seen=None):
        x = self.attention(x, x, mask)
        if seen is not None:
            x = self.crossattention(x, seen)
        return self.output["LayerNorm"](x + self.output["dense"](F.gelu(self.intermediate["dense"](x))))


class Text(nn.Module):
    """encoder.BERT with layers of fusion."""

    def __init__(self, vocabulary, positions):
        super().__init__()
        self.embeddings = nn.ModuleDict({
            "word_embeddings": nn.Embedding(vocabulary, DIM), "position_embeddings": nn.Embedding(positions, DIM),
            "token_type_embeddings": nn.Embedding(1, DIM), "LayerNorm": nn.LayerNorm(DIM, eps=1e-12)})
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(Layer(i >= TEXT_LAYERS) for i in range(TEXT_LAYERS + FUSION_LAYERS))})

    def forward(self, tokens, mask):
        e = self.embeddings
        x = e["word_embeddings"](tokens) + e["position_embeddings"].weight[: tokens.shape[1]] + e["token_type_embeddings"].weight[0]
        x = e["LayerNorm"](x)
        for layer in self.encoder["layer"][:TEXT_LAYERS]:
            x = layer(x, mask)
        return x

    def fuse(self, x, mask, seen):
        for layer in self.encoder["layer"][TEXT_LAYERS:]:
            x = layer(x, mask, seen)
        return x


class Network(nn.Module):
    """vqa.Config{}: the encoders, what brings them to a common space, and the head."""

    def __init__(self, vocabulary, positions, answers):
        super().__init__()
        self.image = torchvision.models.VisionTransformer(image_size=32, patch_size=8, num_layers=3, num_heads=HEADS, hidden_dim=DIM, mlp_dim=HIDDEN)
        self.image.heads = nn.Identity()
        self.text = Text(vocabulary, positions)
        self.image_projection, self.text_projection = nn.Linear(DIM, COMMON), nn.Linear(DIM, COMMON)
        self.head = nn.ModuleDict({"hidden": nn.Linear(DIM, DIM), "out": nn.Linear(DIM, answers)})

    def patches(self, images):
        x = self.image._process_input(images)
        return self.image.encoder(torch.cat([self.image.class_token.expand(len(x), -1, -1), x], 1))

    def compared(self, patches, words):
        image, text = F.normalize(self.image_projection(patches), dim=2), F.normalize(self.text_projection(words), dim=2)
        return image[:, 0], text[:, 0], image[:, 1:], text[:, 1:]

    def forward(self, images, questions, captions):
        mask, patches = questions != 0, self.patches(images)
        fused = self.text.fuse(self.text(questions, mask), mask, patches)[:, 0]
        return self.head["out"](F.gelu(self.head["hidden"](fused))), self.compared(patches, self.text(captions, captions != 0))

    def seen(self, images, captions):
        """What the momentum encoder is asked for: no question, no answer."""
        mask = captions != 0
        return self.compared(self.patches(images), self.text(captions, mask)), mask[:, 1:]


def across(s, t):
    """N-pair of rows against columns, by the share SOFT with targets as soft as the momentum encoder has them."""
    log = F.log_softmax(s / TAU, 1)
    return -(1 - SOFT) * log.diagonal().mean() - SOFT * (F.softmax(t / TAU, 1) * log).sum(1).mean()


def same(s):
    return -F.log_softmax(s / TAU, 1).diagonal().mean()


def inside(whole, parts, mask):
    """N-pair of each whole with each of its own parts, against the parts of all others."""
    n, count, _ = parts.shape
    s = (whole @ parts.flatten(0, 1).t() / TAU).view(n, n, count)
    itself = torch.eye(n, dtype=torch.bool)
    others = s.masked_fill(itself[:, :, None] | ~mask[None], float("-inf")).flatten(1).logsumexp(1)
    own = s[itself]
    loss = torch.logaddexp(own, others[:, None]) - own
    return (loss * mask).sum() / mask.sum()


def loss_of(net, teacher, images, questions, target, numbers, numbers_teacher, captions, masked):
    images = images.permute(0, 3, 1, 2).float() / 255
    with torch.no_grad():
        (image_t, text_t, patches_t, words_t), mask = teacher.seen(crop(images, numbers_teacher), captions)
    logits, (image, text, _, _) = net(crop(images, numbers), questions, masked)
    terms = [
        across(image @ text_t.t(), image_t @ text_t.t()), across(text @ image_t.t(), text_t @ image_t.t()),
        same(image @ image_t.t()), same(text @ text_t.t()),
        inside(image, patches_t, torch.ones(patches_t.shape[:2], dtype=torch.bool)), inside(text, words_t, mask),
    ]
    return -(target * F.log_softmax(logits, 1)).sum(1).mean() + sum(terms) / 6


def crop(x, numbers):
    """Crops in pixels, brought back to the size of the images; nothing outside of a crop is looked at, as in torchvision."""
    edge = x.shape[2]
    center = (torch.arange(edge) + 0.5) / edge
    along = lambda first, length: first[:, None] + torch.minimum((center * length[:, None] - 0.5).clamp(min=0), length[:, None] - 1)
    top, left, h, w = numbers.t()
    rows, columns = along(top, h), along(left, w)
    grid = torch.stack(torch.broadcast_tensors(columns[:, None, :], rows[:, :, None]), 3) * (2 / (edge - 1)) - 1
    return F.grid_sample(x, grid, align_corners=True)


def draw(start):
    """A batch of a step that is not checked: images and texts of those that are, with views and masks of their own."""
    images, questions, target, numbers, _, captions, _ = (start[f"1-{i}"] for i in range(7))
    order = torch.randperm(len(images))
    masked, ends = captions[order], (captions[order] != 0).sum(1, keepdim=True) - 1
    place = torch.arange(masked.shape[1])
    words = (place > 0) & (place < ends)
    masked = masked.masked_fill(words & (torch.rand(masked.shape) < MASK_WORDS), MASK)
    return [images[order], questions[order], target[order], draw_crops(len(images)), draw_crops(len(images)), captions[order], masked]


def draw_crops(n, edge=32):
    """In pixels: at least 0.7 of the area, sides in a ratio of 0.9 to 1.1."""
    area, ratio = torch.empty(n).uniform_(0.7, 1) * edge**2, torch.empty(n).uniform_(0.9, 1.1)
    h, w = (area / ratio).sqrt().round().clamp(max=edge), (area * ratio).sqrt().round().clamp(max=edge)
    return torch.stack([(torch.rand(n) * (edge - h + 1)).floor(), (torch.rand(n) * (edge - w + 1)).floor(), h, w], 1)


def make(task, folder, compiled=False):
    """Returns the losses of the first steps, on the numbers of the Go benchmark, and a step on numbers of its own."""
    torch.set_num_threads(CORES)
    torch.manual_seed(0)
    start = load_file(folder / f"{task}.safetensors")
    weights = lambda prefix: {name.removeprefix(prefix): t for name, t in start.items() if name.startswith(prefix)}
    mine = weights("network.")
    net = Network(*(len(mine[f"text.embeddings.{name}_embeddings.weight"]) for name in ("word", "position")), len(mine["head.out.bias"]))
    teacher = copy.deepcopy(net).requires_grad_(False)
    check_missing(net.load_state_dict(mine))
    check_missing(teacher.load_state_dict(weights("momentum.")))
    opt = torch.optim.Adam(net.parameters(), lr=1e-3, eps=1e-7, fused=True)
    loss, updates = functools.partial(torch.compile(loss_of) if compiled else loss_of, net, teacher), 0

    def step(batch):
        nonlocal updates
        value = loss(*batch)
        opt.zero_grad(set_to_none=True)
        value.backward()
        opt.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(teacher.parameters()), list(net.parameters()), 1 - min(MOMENTUM, 1 - 1 / (updates + 1)))
        updates += 1
        return value.item()

    return [step([start[f"{i}-{k}"] for k in range(7)]) for i in (1, 2, 3)], lambda: step(draw(start))


PEERS = {"PyTorch eager": make, "PyTorch compiled": functools.partial(make, compiled=True)}
