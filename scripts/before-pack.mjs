// What `npm pack` does first in each package: builds what is stale, and puts licences beside the package's manifest.
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { prepare, root } from './prepare.mjs';
import { shippedPackages } from './shipped.mjs';

await prepare();
copyFileSync(join(root, 'LICENSE'), join(process.cwd(), 'LICENSE'));
if (basename(process.cwd()) === 'web') writeFileSync('THIRD-PARTY-NOTICES.md', notices());

/** The licences of what the web application's bundle contains. */
function notices() {
  const parts = shippedPackages()
    .filter(({ inBundle }) => inBundle)
    .map(({ name, version, license }) => {
      const folder = join(root, 'node_modules', name);
      const file = existsSync(folder) && readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
      const text = file ? `\n\n\`\`\`\n${readFileSync(join(folder, file), 'utf8').trim()}\n\`\`\`` : '';
      return `## ${name} ${version} (${license})${text}`;
    });
  return `# Third-party notices\n\nThe files in \`dist/app\` contain:\n\n${parts.join('\n\n')}\n`;
}
