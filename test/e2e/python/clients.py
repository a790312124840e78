"""Calls the gateway as an application does, with the official client, and prints what came of each call as JSON.

Usage: clients.py URL KNOWN-MODEL ADAPTER EMPTY-MODEL SATURATED-MODEL
"""

import io
import json
import sys

import openai

url, model, adapter, empty_model, saturated_model = sys.argv[1:]
# Errors are looked at as they first come, not after the client's own retries.
client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
messages = [{"role": "user", "content": "Why is my pod pending?"}]


def refusal(call):
    try:
        call()
    except openai.APIStatusError as error:
        return {
            "class": type(error).__name__,
            "status": error.status_code,
            "code": error.code,
            "param": error.param,
            "retryAfter": error.response.headers.get("retry-after"),
            "requestId": error.request_id,
        }
    return None


def chat(**changes):
    return client.chat.completions.create(**{"model": model, "messages": messages, "max_tokens": 4, **changes})


def chat_completion():
    answer = chat()
    return {
        "model": answer.model,
        "text": answer.choices[0].message.content,
        "finish": answer.choices[0].finish_reason,
        "tokens": answer.usage.completion_tokens,
    }


def streamed_chat_completion():
    chunks = list(chat(stream=True, stream_options={"include_usage": True}))
    return {
        "text": "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices),
        "tokens": chunks[-1].usage.completion_tokens,
        "choicesOfLast": len(chunks[-1].choices),
    }


def completions():
    request = {"model": model, "prompt": "Once upon a time", "max_tokens": 4}
    whole = client.completions.create(**request).choices[0].text
    chunks = client.completions.create(**request, stream=True)
    return {"whole": whole, "streamed": "".join(chunk.choices[0].text for chunk in chunks if chunk.choices)}


def embeddings():
    answer = client.embeddings.create(model=model, input=["one", "two"], dimensions=8)
    return [len(item.embedding) for item in answer.data]


def responses():
    request = {"model": model, "input": "Why is my pod pending?", "max_output_tokens": 4}
    whole = client.responses.create(**request).output_text
    events = client.responses.create(**request, stream=True)
    streamed = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    return {"whole": whole, "streamed": streamed}


def transcription():
    speech = io.BytesIO(bytes(64_000))
    return client.audio.transcriptions.create(model=model, file=("speech.wav", speech)).text


def saturated():
    # Whoever runs this saturates the model, and then sends a line.
    print("saturate", file=sys.stderr, flush=True)
    sys.stdin.readline()
    return refusal(lambda: chat(model=saturated_model))


results = {
    "chatCompletion": chat_completion(),
    "streamedChatCompletion": streamed_chat_completion(),
    "completions": completions(),
    "embeddings": embeddings(),
    "responses": responses(),
    "transcription": transcription(),
    "adapter": chat(model=adapter).model,
    "models": sorted(entry.id for entry in client.models.list()),
    "retrieved": client.models.retrieve(model).id,
    "unknownRetrieved": refusal(lambda: client.models.retrieve("nobody")),
    "unknownModel": refusal(lambda: chat(model="nobody")),
    "badModel": refusal(lambda: chat(model=7)),
    "noPods": refusal(lambda: chat(model=empty_model)),
    "saturated": saturated(),
}
print(json.dumps(results))
