"""Asks flags through OpenFeature's OFREP provider: argv is the server, an SDK key, and calls as JSON."""
import json
import sys

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

base, key, calls = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
api.set_provider(OFREPProvider(base, headers_factory=lambda: {"Authorization": f"Bearer {key}"}))
client = api.get_client()
answers = []
for kind, flag, default in calls:
    details = getattr(client, f"get_{kind}_details")(flag, default, EvaluationContext("user-1"))
    answers.append([details.value, str(details.reason), details.error_code and str(details.error_code)])
print(json.dumps(answers))
