/**
 * Sixteen small sets of log lines for grouping accuracy, one for each set of LogHub (https://github.com/logpai/loghub; J. Zhu,
 * S. He, P. He, J. Liu, M. R. Lyu, "Loghub: A Large Collection of System Log Datasets for AI-driven Log Analytics", ISSRE 2023;
 * free for research and academic work). No line is from there: templates and values are invented here, and reproduce what
 * makes each set hard, as seen in the failures of groupings.
 */
export interface LogSet {
  readonly name: string;
  /** Each template, and how many lines it has. */
  readonly templates: readonly (readonly [template: string, lines: number])[];
}

const names = ['amber', 'birch', 'cedar', 'dahlia', 'elder', 'fern', 'gorse', 'hazel', 'iris', 'juniper'];
const tlds = ['example.com', 'corp.example.net', 'lab.example.org'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul'];

/** The value of a template's placeholder in the line with this number. */
const values: Readonly<Record<string, (n: number) => string>> = {
  n: (n) => String((n * 7919) % 100_003),
  float: (n) => ((n * 37) / 7 + 0.5).toFixed(4),
  hex: (n) => `0x${(n * 2654435761).toString(16)}`,
  id: (n) => `${(n * 40503).toString(16).padStart(8, '0')}-1a2b-4c3d-8e4f-${String(n).padStart(12, '0')}`,
  long: (n) => (n % 2 ? 'deadbeefcafebabedeadbeef' : 'feedfacefeedfacefeedface'),
  letters: (n) => (n % 3 ? 'ffffffff' : `${n}fc0`),
  ip: (n) => `10.${n % 7}.${n % 251}.${(n * 13) % 251}`,
  host: (n) => `${names[n % 10]}-node.${tlds[n % 3]}`,
  name: (n) => names[n % 10] ?? '',
  word: (n) => `${names[n % 10]}${names[(n * 3) % 7]}`,
  path: (n) => `/srv/${names[n % 10]}/${names[(n * 3) % 10]}/part-${n}.dat`,
  url: (n) => `/v3/${(n * 40503).toString(16)}/machines${n % 3 ? '' : `/list?after=${n}&page=2`}`,
  class: (n) => `org.example.${names[n % 10]}.${names[(n * 3) % 10]}.Worker`,
  month: (n) => months[n % 7] ?? '',
  time: (n) => `0${n % 10}:1${n % 10}:4${n % 10}`,
  ips: (n) => Array.from({ length: 1 + (n % 3) }, (_, i) => `10.0.${n % 9}.${i + 1}`).join(', '),
  list: (n) => Array.from({ length: 1 + (n % 9) }, (_, i) => `blk_${n}${i}`).join(' '),
  size: (n) => (n % 2 ? `${n} bytes` : `${n * 1000} bytes (${(n / 3).toFixed(1)} KB)`),
  lasted: (n) => (n % 2 ? '<1 sec' : `0${n % 10}:2${n % 10}`),
  origin: (n) => (n % 2 ? `10.1.1.${n % 250} ()` : `10.1.1.${n % 250} (${names[n % 10]}.example.com)`),
  bool: (n) => (n % 2 ? 'true' : 'false'),
};

export const LOG_SETS: readonly LogSet[] = [
  {
    // Values of `key=value` that are words, and hexadecimal ones without a digit.
    name: 'Android',
    templates: [
      ['applyBars state={hex} mask={letters} next={hex} docked={bool}', 60],
      ['getTask: top=Info{{class}/{class}}', 20],
      ['hold ticket={n}, name={class}, source={name}', 30],
      ['drop ticket={n}, name={class}, source={name}', 30],
      ['bind: view={hex}, shown={bool}', 30],
      ['bind finished for {class}', 20],
    ],
  },
  {
    name: 'Apache',
    templates: [
      ['worker().start() found slot {n}', 30],
      ['worker.start() Ok {path}', 30],
      ['[peer {ip}] no access to folder: {path}', 10],
    ],
  },
  {
    name: 'BGL',
    templates: [
      ['core.{n} written', 40],
      ['instruction cache parity fault corrected', 40],
      ['data cache parity fault corrected', 20],
      ['{n} double-word alignment faults', 30],
      ['rts: kernel ended for reason {n}', 20],
      ['rts panic! - halting run', 5],
    ],
  },
  {
    // Lists of any length.
    name: 'HDFS',
    templates: [
      ['Taking block blk_-{n} src: /{ip}:{n} dest: /{ip}:{n}', 60],
      ['Sender {n} for block blk_{n} ending', 60],
      ['LEDGER* ask {ip}:{n} to remove {list}', 30],
      ['LEDGER* Names.allot: {path} blk_{n}', 20],
    ],
  },
  {
    // One line statements that differ in one word only.
    name: 'HPC',
    templates: [
      ['running', 20],
      ['halted', 10],
      ['boot (ruling {n}) Fault: timed out on node-{n}', 20],
      ['halt (ruling {n}) Fault: timed out on node-{n}', 20],
      ['link in', 10],
      ['link out', 10],
    ],
  },
  {
    name: 'Hadoop',
    templates: [
      ['Task attempt_{n}_m_{n}_0 moved from NEW to READY', 30],
      ['Task attempt_{n}_m_{n}_0 moved from READY to DONE', 30],
      ['Gave up on {host}/{ip}:{n}. Tried {n} time(s)', 40],
      ['Loaded keytab from {path}', 5],
      ['Starting phase for run {n}', 5],
      ['Ending phase for run {n}', 5],
    ],
  },
  {
    name: 'HealthApp',
    templates: [
      ['onTick {n}##{n}##{n}', 50],
      ['sumUp total={n} steps={n}', 50],
      ['flush REPORT {n} {n}', 10],
      ['flush FINISHED {n} {n}', 10],
    ],
  },
  {
    // An optional name in brackets, weekdays and months, and few different users.
    name: 'Linux',
    templates: [
      ['link from {origin} at Fri {month} 7 {time} 2005', 80],
      ['login refused; tty=SSH ruser= rhost={host}  user=root', 40],
      ['shell opened for user {name} by (uid=0)', 40],
      ['shell closed for user {name}', 40],
      ['boot: Partition check', 3],
      ['boot: Memory check', 3],
    ],
  },
  {
    name: 'Mac',
    templates: [
      ['en0: BSSID set to {id} on 5', 20],
      ['Wake reason: {word} ({name})', 30],
      ['thermal pressure is {n}, wanted {n}', 20],
      ['store::list(): {path} took {float} ms', 20],
      ['store::read(): {path} took {float} ms', 20],
      ['<{hex}> attached', 10],
    ],
  },
  {
    name: 'OpenSSH',
    templates: [
      ['Wrong password for {name} from {ip} port {n} ssh2', 60],
      ['Wrong password for unknown user {word} from {ip} port {n} ssh2', 60],
      ['Closed by {ip} [preauth]', 30],
      ['Unknown user {word} from {ip}', 30],
      ['address {ip} maps to {host}, but not back - BREAK-IN?', 10],
    ],
  },
  {
    // Methods in quoted text, four different words in one position, lists of addresses.
    name: 'OpenStack',
    templates: [
      ['{ips} "GET {url} HTTP/1.1" code: 200 size: {n} took: {float}', 90],
      ['{ips} "POST {url} HTTP/1.1" code: 202 size: {n} took: {float}', 20],
      ['{ips} "DELETE {url} HTTP/1.1" code: 204 size: {n} took: {float}', 20],
      ['[machine: {id}] Guest Started (event)', 20],
      ['[machine: {id}] Guest Paused (event)', 20],
      ['[machine: {id}] Guest Resumed (event)', 20],
      ['[machine: {id}] Guest Stopped (event)', 20],
    ],
  },
  {
    // Sizes given twice, durations in two forms, hosts that are addresses or names.
    name: 'Proxifier',
    templates: [
      ['{host}:443 ended, {size} out, {size} in, lasted {lasted}', 60],
      ['{ip}:443 begun through {host}:5070 HTTPS', 40],
      ['{host}:80 fault : Host was gone before the end.', 20],
    ],
  },
  {
    name: 'Spark',
    templates: [
      ['Put block rdd_{n}_{n} as values in memory (estimated {float} KB)', 50],
      ['Ended task {float} in stage {float} (TID {n}). {n} bytes sent', 50],
      ['Began task {float} in stage {float} (TID {n})', 50],
      ['Asking {host}:{n} for {n} blocks', 10],
    ],
  },
  {
    // A host that is an address, or a numbered name.
    name: 'Thunderbird',
    templates: [
      ['in step with {ip}, level 3', 40],
      ['in step with LOCAL(0), level 10', 40],
      ['cron[{n}]: (root) RUN (once {path})', 20],
      ['rrd ({path}): refused at {n}, last was {n} (one second step)', 20],
      ['new driver hub', 2],
      ['new driver mouse', 2],
    ],
  },
  {
    // Two clients, each with a separate log statement.
    name: 'Windows',
    templates: [
      ['Lease: {n}_{n} opened by client Scanner.', 40],
      ['Lease: {n}_{n} opened by client PatchAgent.', 20],
      ['No report [CODE = {hex} - E_NONE]', 20],
      ['Upload of reports [CODE = {hex} - E_NONE]', 20],
      ['Read kept package: Pkg~{long}~amd64~~{n}, State: {n}, Now:{n}', 40],
    ],
  },
  {
    name: 'Zookeeper',
    templates: [
      ['Stream broken for id {n}, my id = {n}, cause =', 40],
      ['Taken link /{ip}:{n}', 40],
      ['Notice: {n} (n.lead), {n} (n.id), SEARCHING (n.state)', 20],
      ['Notice: {n} (n.lead), {n} (n.id), FOLLOWING (n.state)', 20],
      ['Sender leaves', 10],
      ['Receiver leaves', 10],
    ],
  },
];

/** Templates of a set that a person would consider the same. */
const together: Readonly<Record<string, readonly string[]>> = {
  Thunderbird: ['in step with {ip}, level 3', 'in step with LOCAL(0), level 10'],
};

/** The lines of a set, each with the template it belongs to. */
export function linesOf({ name, templates }: LogSet): { readonly line: string; readonly truth: string }[] {
  const same = together[name] ?? [];
  let n = 0;
  return templates.flatMap(([template, count]) =>
    Array.from({ length: count }, () => {
      n++;
      let place = 0;
      const line = template.replace(/\{([a-z]+)\}/g, (whole, key: string) => {
        place++;
        return values[key]?.(n * 31 + place) ?? whole;
      });
      return { line, truth: same.includes(template) ? (same[0] ?? template) : template };
    }),
  );
}

/**
 * Grouping accuracy: the share of lines whose group is exactly the set of lines that belong to their template (J. Zhu et al.,
 * "Tools and Benchmarks for Automated Log Parsing", ICSE-SEIP 2019). `grouping` is the F1 score of groups.
 */
export function accuracyOf(truth: readonly string[], found: readonly string[]) {
  const wanted = placesBy(truth);
  const groups = placesBy(found);
  let lines = 0;
  let exact = 0;
  for (const places of groups.values()) {
    const [first] = places;
    const template = first === undefined ? undefined : truth[first];
    const isOne = places.every((place) => truth[place] === template);
    if (!isOne || template === undefined || wanted.get(template)?.length !== places.length) continue;
    lines += places.length;
    exact++;
  }
  return {
    accuracy: lines / Math.max(1, truth.length),
    groupF1: (2 * exact) / Math.max(1, groups.size + wanted.size),
    groups: groups.size,
  };
}

function placesBy(labels: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, label] of labels.entries()) {
    const known = places.get(label);
    if (known) known.push(place);
    else places.set(label, [place]);
  }
  return places;
}
