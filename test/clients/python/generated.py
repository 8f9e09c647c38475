"""Calls of a client that openapi-python-client made from the API document; see ../generated.test.ts."""

import json
import os

from fanion_client import AuthenticatedClient
from fanion_client.api.alert_rules import alert_rules_create
from fanion_client.api.dashboards import dashboards_create
from fanion_client.api.flag_keys import flag_keys_create
from fanion_client.api.flags import (
    flags_create,
    flags_get,
    flags_get_targeting,
    flags_list,
    flags_set_targeting,
)
from fanion_client.api.platform import platform_meta
from fanion_client.api.projects import projects_create
from fanion_client.api.query import query_run
from fanion_client.api.sdk import sdk_evaluate
from fanion_client.models import (
    AlertCondition,
    AlertOperator,
    AlertRuleInput,
    DashboardInput,
    DashboardPanelInput,
    ErrorEnvelope,
    EvaluationContext,
    Fallthrough,
    FlagInput,
    FlagKind,
    FlagSetTargetingRequest,
    PanelType,
    ProjectInput,
    QueryRunRequest,
    Rollout,
    SdkEvaluationRequest,
    SdkKeyInput,
    VariantWeight,
)

base, ws = os.environ["FANION_BASE"], os.environ["FANION_WORKSPACE"]
client = AuthenticatedClient(base_url=base, token=os.environ["FANION_TOKEN"])
told = {"server": platform_meta.sync(client=client).data.name}

project = projects_create.sync(ws, client=client, body=ProjectInput(name="Python", key="python")).data.key
told["project"] = project

body = FlagInput(key="new-checkout", name="New checkout", kind=FlagKind.BOOLEAN)
flag = flags_create.sync(ws, project, client=client, body=body).data
told["variants"] = [variant.key for variant in flag.variants]
page = flags_list.sync(ws, project, client=client, limit=1)
told["flags"] = [flag.key for flag in page.data]
told["next_cursor"] = page.meta.next_cursor

version = flags_get_targeting.sync(ws, project, "production", "new-checkout", client=client).data.version
rollout = Rollout(weights=[VariantWeight(variant="true", weight=100_000)])
body = FlagSetTargetingRequest(
    enabled=True, off_variant="false", fallthrough=Fallthrough(rollout=rollout), version=version
)
targeting = flags_set_targeting.sync(ws, project, "production", "new-checkout", client=client, body=body).data
told["weights"] = [[weight.variant, weight.weight] for weight in targeting.fallthrough.rollout.weights]
told["writes"] = targeting.version - version

key = flag_keys_create.sync(ws, project, client=client, body=SdkKeyInput(environment="production")).data.key
context = EvaluationContext.from_dict({"targetingKey": "user-1"})
sdk = AuthenticatedClient(base_url=base, token=key)
told["value"] = sdk_evaluate.sync("new-checkout", client=sdk, body=SdkEvaluationRequest(context=context)).data.value

body = QueryRunRequest(query="spans | stats n=count()", from_="now-1h", to="now")
told["rows"] = query_run.sync(ws, client=client, body=body).data.rows

body = AlertRuleInput(
    name="Checkout fails",
    project=project,
    query="spans | stats value=ratio(status == error)",
    condition=AlertCondition(op=AlertOperator(">"), threshold=0.05),
)
told["every"] = alert_rules_create.sync(ws, client=client, body=body).data.every

panel = DashboardPanelInput(id="requests", type_=PanelType.TIME_SERIES, x=0, y=0, w=12, h=8, query="spans | count")
dashboard = dashboards_create.sync(ws, client=client, body=DashboardInput(name="Shop", panels=[panel])).data
told["panels"] = [panel.id for panel in dashboard.panels]

missing = flags_get.sync(ws, project, "no-such-flag", client=client)
assert isinstance(missing, ErrorEnvelope)
told["error"] = missing.error.code

print(json.dumps(told))
