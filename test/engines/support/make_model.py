"""Makes what a vLLM server is started with, in the folder given: a tiny Llama, its tokenizer, and two LoRA adapters, all of
random weights. The same every time."""

import json
import sys
from pathlib import Path

import numpy
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

HIDDEN = 64
INNER = 128
LAYERS = 2
HEADS = 2
RANK = 8
CONTEXT = 2048
ADAPTERS = ["tone", "sql"]
# The chat's markers, one token each, and a token for every byte: any text can be written.
MARKERS = ["<s>", "</s>", "<user>", "<assistant>", "<system>"]
TEMPLATE = (
    "{{ '<s>' }}{% for message in messages %}{{ '<' + message['role'] + '>' + message['content'] }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<assistant>' }}{% endif %}"
)


def write(path: Path, value: dict) -> None:
    path.write_text(json.dumps(value, indent=1))


def make_tokenizer(folder: Path) -> int:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={token: number for number, token in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(MARKERS)
    tokenizer.save(str(folder / "tokenizer.json"))
    write(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": "<s>",
            "eos_token": "</s>",
            "model_max_length": CONTEXT,
            "chat_template": TEMPLATE,
        },
    )
    return tokenizer.get_vocab_size()


def drawn(random: numpy.random.Generator, outputs: int, inputs: int) -> numpy.ndarray:
    """A matrix that leaves the size of what it is applied to about as it is."""
    return (random.normal(size=(outputs, inputs)) / inputs**0.5).astype(numpy.float32)


def make_weights(folder: Path, tokens: int) -> None:
    random = numpy.random.default_rng(0)
    ones = numpy.ones(HIDDEN, numpy.float32)
    weights = {
        "model.embed_tokens.weight": random.normal(size=(tokens, HIDDEN)).astype(numpy.float32),
        "model.norm.weight": ones,
        "lm_head.weight": drawn(random, tokens, HIDDEN),
    }
    for number in range(LAYERS):
        layer = f"model.layers.{number}"
        for projection in ["q_proj", "k_proj", "v_proj", "o_proj"]:
            weights[f"{layer}.self_attn.{projection}.weight"] = drawn(random, HIDDEN, HIDDEN)
        for projection in ["gate_proj", "up_proj"]:
            weights[f"{layer}.mlp.{projection}.weight"] = drawn(random, INNER, HIDDEN)
        weights[f"{layer}.mlp.down_proj.weight"] = drawn(random, HIDDEN, INNER)
        for norm in ["input_layernorm", "post_attention_layernorm"]:
            weights[f"{layer}.{norm}.weight"] = ones
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def make_model(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    tokens = make_tokenizer(folder)
    make_weights(folder, tokens)
    write(
        folder / "config.json",
        {
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "hidden_size": HIDDEN,
            "intermediate_size": INNER,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "num_key_value_heads": HEADS,
            "vocab_size": tokens,
            "max_position_embeddings": CONTEXT,
            "rms_norm_eps": 1e-5,
            "hidden_act": "silu",
            "tie_word_embeddings": False,
            "bos_token_id": tokens - len(MARKERS),
            "eos_token_id": tokens - len(MARKERS) + 1,
            "torch_dtype": "float32",
        },
    )


def make_adapter(folder: Path, seed: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    random = numpy.random.default_rng(seed)
    weights = {}
    for layer in range(LAYERS):
        for projection in ["q_proj", "v_proj"]:
            name = f"base_model.model.model.layers.{layer}.self_attn.{projection}"
            weights[f"{name}.lora_A.weight"] = drawn(random, RANK, HIDDEN)
            weights[f"{name}.lora_B.weight"] = drawn(random, HIDDEN, RANK)
    save_file(weights, folder / "adapter_model.safetensors")
    write(
        folder / "adapter_config.json",
        {
            "peft_type": "LORA",
            "task_type": "CAUSAL_LM",
            "base_model_name_or_path": "model",
            "r": RANK,
            "lora_alpha": 2 * RANK,
            "lora_dropout": 0.0,
            "bias": "none",
            "target_modules": ["q_proj", "v_proj"],
        },
    )


if __name__ == "__main__":
    home = Path(sys.argv[1])
    make_model(home / "model")
    for number, adapter in enumerate(ADAPTERS):
        make_adapter(home / adapter, 1 + number)
