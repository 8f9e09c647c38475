import { createFlagKey, createToken, listFlags, listTokens } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../../api/client.ts';
import { inWorkspace, listQuery, routeQuery } from '../../api/queries.ts';
import { metaQuery } from '../../app/meta-query.ts';
import { invalidate } from '../../app/query-client.ts';
import { environmentsQuery, NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ButtonLink } from '../../ui/link.tsx';
import { Button, Select, Stack, Tabs } from '../../ui/mantine.ts';
import { Page } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import { toastError } from '../../ui/toast.ts';
import { Arrival, useArrival } from './arrival.tsx';
import classes from './first-steps.module.css';
import {
  curlCommand,
  exporterSettings,
  FLAG_PACKAGES,
  flagProgram,
  TELEMETRY_PACKAGES,
  TELEMETRY_PROGRAM,
} from './snippets.ts';
import { stepsDone } from './steps.ts';

/** Placeholder in the settings until a secret is created. */
const PLACEHOLDER = 'YOUR_TOKEN';

/** Which steps the workspace has taken. */
function useProgress() {
  const scope = useScope();
  const { data: status } = useArrival();
  const canReadTokens = useCan('tokens:read');
  const { data: tokens = [] } = useQuery({
    ...listQuery(listTokens, { query: inWorkspace(scope.ws) }),
    enabled: canReadTokens,
  });
  const canReadFlags = useCan('flags:read');
  const { data: flags = [] } = useQuery({
    ...routeQuery(listFlags, { params: { ws: scope.ws, p: scope.project }, query: { limit: 1 } }),
    enabled: canReadFlags && scope.project !== NO_PROJECT,
  });
  return stepsDone(
    { tokens, project: scope.project, arrived: status?.arrived === true, flags: flags.length },
    Date.now(),
  );
}

/** From nothing to the first trace and the first flag, by copy and paste. */
export function FirstStepsPage() {
  const scope = useScope();
  const { data: meta } = useQuery(metaQuery);
  const { data: environments = [] } = useQuery({
    ...environmentsQuery(scope.ws, scope.project),
    enabled: scope.project !== NO_PROJECT,
  });
  const [environment, setEnvironment] = useState<string | null>(null);
  const env = environment ?? environments[0]?.key ?? 'production';
  const token = useToken(env);
  const done = useProgress();
  const endpoint = meta?.otlp.http ?? window.location.origin;
  const secret = token.value ?? PLACEHOLDER;

  return (
    <Page title="First steps">
      <div className={classes.grid}>
        <ol className={classes.steps}>
          <TokenStep
            environments={environments}
            env={env}
            onEnvironment={setEnvironment}
            token={token}
            done={done.token}
          />
          <Step
            title="Point OpenTelemetry here"
            done={done.sent}
            lead="These settings work for every OpenTelemetry SDK and for the Collector’s otlphttp exporter."
          >
            <CodeBlock title="Shell" label="exporter settings" code={exporterSettings(endpoint, secret)} />
          </Step>
          <SendStep endpoint={endpoint} secret={secret} done={done.sent} />
          <FlagStep env={env} done={done.flag} />
        </ol>
        <div className={classes.side}>
          <Arrival />
        </div>
      </div>
    </Page>
  );
}

function TokenStep({
  environments,
  env,
  onEnvironment,
  token,
  done,
}: {
  environments: readonly { key: string; name: string }[];
  env: string;
  onEnvironment: (key: string | null) => void;
  token: ReturnType<typeof useToken>;
  done: boolean;
}) {
  return (
    <Step
      title="Create a token"
      done={done || token.value !== null}
      lead="It lets your programs send telemetry to this project and does nothing else."
    >
      <div className={classes.row}>
        <Select
          label="Environment"
          w={180}
          value={env}
          data={environments.map(({ key, name }) => ({ value: key, label: name }))}
          onChange={onEnvironment}
        />
        <Button onClick={token.make} loading={token.pending}>
          {token.value === null && !done ? 'Create token' : 'Create another token'}
        </Button>
      </div>
      {token.value !== null && (
        <Stack gap="sm" mt="sm">
          <CodeBlock code={token.value} label="token" wrap />
          <Notice kind="info">
            The settings below already contain it. It is shown only once. Revoke it under Settings, API tokens.
          </Notice>
        </Stack>
      )}
    </Step>
  );
}

function SendStep({ endpoint, secret, done }: { endpoint: string; secret: string; done: boolean }) {
  return (
    <Step title="Send something" done={done} lead="Use your own program with its SDK, or one of these.">
      <Tabs defaultValue="js" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="js">Node.js</Tabs.Tab>
          <Tabs.Tab value="curl">curl</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="js">
          <Stack gap="sm">
            <CodeBlock
              title="Shell"
              label="install command"
              code={`npm install ${TELEMETRY_PACKAGES.join(' ')}`}
              wrap
            />
            <CodeBlock title="hello.mjs — run it with: node hello.mjs" label="program" code={TELEMETRY_PROGRAM} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="curl">
          <CodeBlock title="Shell" label="curl command" code={curlCommand(endpoint, secret)} />
        </Tabs.Panel>
      </Tabs>
    </Step>
  );
}

function FlagStep({ env, done }: { env: string; done: boolean }) {
  const scope = useScope();
  const sdkKey = useSecret(env, () =>
    call(createFlagKey, {
      params: { ws: scope.ws, p: scope.project },
      body: { environment: env, name: 'First steps' },
    }).then(({ data }) => data.key),
  );
  return (
    <Step
      title="Try a flag"
      done={done}
      lead="Create a flag, then read it through OpenFeature. Any SDK with an OFREP provider works."
    >
      <div className={classes.row}>
        <ButtonLink to="/w/$ws/$project/flags/new" params={scope} variant="default">
          Create a flag
        </ButtonLink>
        <Button variant="default" onClick={sdkKey.make} loading={sdkKey.pending}>
          Create SDK key for {env}
        </Button>
      </div>
      <Stack gap="sm" mt="sm">
        <CodeBlock title="Shell" label="flag install command" code={`npm install ${FLAG_PACKAGES.join(' ')}`} wrap />
        <CodeBlock
          title="flag.mjs"
          label="flag program"
          code={flagProgram(window.location.origin, sdkKey.value ?? 'YOUR_SDK_KEY')}
        />
      </Stack>
    </Step>
  );
}

/** A token that lets programs send telemetry. */
function useToken(env: string) {
  const scope = useScope();
  return useSecret(env, () =>
    call(createToken, {
      query: inWorkspace(scope.ws),
      body: {
        name: `First steps, ${env}`,
        permissions: ['telemetry:ingest'],
        project: scope.project,
        environment: env,
      },
    }).then(({ data }) => data.token),
  );
}

function Step({ title, lead, done, children }: { title: string; lead: string; done?: boolean; children: ReactNode }) {
  return (
    <li className={classes.step} data-done={done || undefined}>
      <h2>
        {title}
        {done && <span className="visually-hidden"> (done)</span>}
      </h2>
      <p className={classes.lead}>{lead}</p>
      {children}
    </li>
  );
}

/** A secret created by one click; discarded when the user selects another environment. */
function useSecret(environment: string, create: () => Promise<string>) {
  const [made, setMade] = useState<{ environment: string; value: string } | null>(null);
  const [pending, setPending] = useState(false);
  const make = () => {
    setPending(true);
    create()
      .then((value) => {
        setMade({ environment, value });
        return invalidate(listTokens);
      })
      .catch(toastError)
      .finally(() => setPending(false));
  };
  return { value: made?.environment === environment ? made.value : null, pending, make };
}
