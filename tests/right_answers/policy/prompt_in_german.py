"""The prompt's prose is German."""

head, *blocks = POLICY_PROMPT.split("```json\n")
blocks = [block.split("```", 1)[0] for block in blocks]
POLICY_PROMPT = """Du wählst für jede Schicht eines Transformers eine der vier Möglichkeiten none, selective, full und offload.
Frage nach allem, was fehlt. Eine Schicht behält A = s·b·h·(34 + 5·a·s/h) Bytes, ihre Eingabe 2·s·b·h.
""" + "\nSo sieht eine Antwort aus:\n".join("```json\n" + block + "```\n" for block in blocks)
