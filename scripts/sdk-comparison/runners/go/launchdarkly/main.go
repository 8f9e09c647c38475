package main

import (
	"encoding/json"
	"time"

	"github.com/launchdarkly/go-sdk-common/v3/ldcontext"
	"github.com/launchdarkly/go-sdk-common/v3/ldvalue"
	ld "github.com/launchdarkly/go-server-sdk/v7"
	"github.com/launchdarkly/go-server-sdk/v7/ldcomponents"

	"sdkcomparison/place"
)

const fallback = "__default__"

func contextOf(context place.Context) ldcontext.Context {
	user := map[string]any{}
	for name, value := range context {
		user[name] = value
	}
	user["key"] = context["targetingKey"]
	delete(user, "targetingKey")
	delete(user, "organization")
	form := user
	if organization, ok := context["organization"]; ok {
		form = map[string]any{"kind": "multi", "user": user, "organization": organization}
	} else {
		user["kind"] = "user"
	}
	text, err := json.Marshal(form)
	place.Must(err)
	var made ldcontext.Context
	place.Must(json.Unmarshal(text, &made))
	return made
}

func main() {
	compared := place.Read()
	base := compared.Settings.Base
	client, err := ld.MakeCustomClient(compared.Settings.ServerKey, ld.Config{
		ServiceEndpoints: ldcomponents.RelayProxyEndpoints(base),
		Events:           ldcomponents.NoEvents(),
		Logging:          ldcomponents.NoLogging(),
	}, 20*time.Second)
	place.Must(err)
	evaluatorOf := func(context place.Context) place.Evaluate {
		own := contextOf(context)
		return func(flag place.Flag) any {
			value, _ := client.JSONVariation(flag.Key, own, ldvalue.String(fallback))
			if value.StringValue() == fallback {
				return nil
			}
			return value.AsArbitraryValue()
		}
	}
	compared.Compare(evaluatorOf)
	compared.Watch(evaluatorOf(compared.Contexts[0]))
}
