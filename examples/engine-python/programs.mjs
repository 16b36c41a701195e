// The programs of the conformance suite in Python. What is left out the language does not allow: calls of the interpreter wait for each
// other (`parallel`).
export const pythonPrograms = {
  value: '{"list": [1, 2.5, "x", None, True], "nested": {"empty": {}}}',
  echo: 'echo(text="h\\u00e9 \\U0001f600", list=[1, [2]], nothing=None)',
  chain: 'first = add(a=1, b=2)\nadd(a=first, b=10)',
  prints: 'print("hello")\nprint("wor", end="")\nprint("ld")\nNone',
  raises: 'one = 1\nraise ValueError("boom")',
  malformed: 'return (',
  failingTool: 'fail()',
  caughtTool: 'try:\n  result = fail()\nexcept Exception as error:\n  result = str(error)\nresult',
  unknownTool: 'no_such_tool()',
  badArguments:
    'try:\n  result = add(a="x", b=1)\nexcept Exception as error:\n  result = str(error)\nresult',
  fiveCalls: 'try:\n  for i in range(5):\n    echo(i=i)\nexcept BaseException:\n  pass\n"caught"',
  printsMuch:
    'try:\n  for i in range(100):\n    print("x" * 99)\nexcept BaseException:\n  pass\n"caught"',
  largeResult: '"x" * 30000',
  endless: 'try:\n  while True:\n    pass\nexcept BaseException:\n  pass\n"caught"',
  growing:
    'try:\n  grown = []\n  while True:\n    grown.append("x" * 1000 + str(len(grown)))\nexcept BaseException:\n  pass\n"caught"',
  recursing: 'def f(n):\n  return f(n + 1) + 1\nf(0)',
  holds: 'print("before")\nheld = hold()\nprint("after")\nheld',
  leaves: 'left = 1\nleft',
  finds: 'try:\n  left\n  found = True\nexcept NameError:\n  found = False\nfound',
  reaches: `
reached = []
try:
  open("/etc/hostname").read()
  reached.append("files")
except Exception:
  pass
try:
  import os
  os.system("true")
  reached.append("commands")
except Exception:
  pass
try:
  import os
  os.environ
  reached.append("environment")
except Exception:
  pass
try:
  __import__("socket")
  reached.append("network")
except Exception:
  pass
reached`,
  passesMedia: 'image = shot()\ntake(image=image)\nimage',
  stores: 'store("k", {"n": 1})\n1',
  loads: 'load("k")',
  yields: 'print("early")\nyield_control()\nhold()',
}
