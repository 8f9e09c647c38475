import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Language, packages } from './sdks.ts';

const run = promisify(execFile);
const runners = fileURLToPath(new URL('./runners', import.meta.url));

/** Installs the SDKs of these languages in the directory, unless they are there, and the programs beside them. */
export async function install(directory: string, languages: ReadonlySet<Language>): Promise<void> {
  for (const language of languages) {
    const own = join(directory, language.toLowerCase());
    const wanted = JSON.stringify(packages[language]);
    const mark = join(own, 'installed.json');
    const isInstalled = (await readFile(mark, 'utf8').catch(() => '')) === wanted;
    await programs[language](own);
    if (!isInstalled) await installers[language](own);
    await build[language](own);
    await writeFile(mark, wanted);
  }
}

const copied = (others: RegExp) => (directory: string) =>
  cp(runners, directory, { recursive: true, filter: (path) => !others.test(path) });

const programs: Readonly<Record<Language, (directory: string) => Promise<void>>> = {
  Node: copied(/\.(py|go|java|xml)$/),
  Python: copied(/\.(mjs|go|java|xml)$/),
  Go: (directory) => cp(join(runners, 'go'), directory, { recursive: true }),
  Java: (directory) => cp(join(runners, 'java'), directory, { recursive: true }),
};

const nothing = async () => {};
const build: Readonly<Record<Language, (directory: string) => Promise<void>>> = {
  Node: nothing,
  Python: nothing,
  async Go(directory) {
    for (const program of ['launchdarkly', 'unleash', 'growthbook', 'flagd'])
      await run('go', ['build', '-o', `bin/${program}`, `./${program}`], { cwd: directory });
  },
  async Java(directory) {
    const classpath = await readFile(join(directory, 'classpath.txt'), 'utf8');
    const programs = ['src/Comparison.java', 'src/Flagd.java'];
    await run('javac', ['-cp', classpath, '-d', 'classes', ...programs], { cwd: directory });
  },
};

const installers: Readonly<Record<Language, (directory: string) => Promise<void>>> = {
  async Node(directory) {
    await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    const named = Object.entries(packages.Node).map(([name, version]) => `${name}@${version}`);
    // Of what SDKs only expect, all that is used is named; React Native is not, and `react-native.mjs` stands for it.
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps', '-E'];
    await run('npm', ['install', ...options, ...named], { cwd: directory });
  },
  async Python(directory) {
    await run('python3', ['-m', 'venv', join(directory, 'venv')]);
    const named = Object.entries(packages.Python).map(([name, version]) => `${name}==${version}`);
    await run(join(directory, 'venv/bin/pip'), ['install', '--quiet', ...named]);
  },
  async Go(directory) {
    await writeFile(join(directory, 'go.mod'), 'module sdkcomparison\n');
    const named = Object.entries(packages.Go).map(([name, version]) => `${name}@${version}`);
    await run('go', ['get', ...named], { cwd: directory });
    await run('go', ['mod', 'tidy'], { cwd: directory });
  },
  async Java(directory) {
    const { 'dev.openfeature.contrib.providers:flagd': flagd, 'dev.openfeature:sdk': sdk } = packages.Java;
    const listing = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.0:build-classpath';
    const named = [`-Dflagd=${flagd}`, `-Dsdk=${sdk}`, '-Dmdep.outputFile=classpath.txt'];
    await run('mvn', ['-q', '-B', ...named, listing], { cwd: directory });
  },
};
