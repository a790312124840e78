import type { GeneratedFile } from '../../../api/generate';
import { markdownTable } from '../../../api/markdown-table';
import { DECISIVE, IGNORED } from './parameters';
import { PLUGINS, type Plugin } from './plugins';
import { FEATURE_GATES } from './schema';

const INTRODUCTION = `A ConfigMap that \`spec.schedulers[].configMapRef\` names holds a file of this kind, apiVersion
\`llm-d.ai/v1alpha1\` or \`inference.networking.x-k8s.io/v1alpha1\`. It sets the weights of the scorers and, with the feature
gate \`flowControl\`, how requests wait. What it says is followed or refused by name: a file never passes that would balance
a fleet otherwise than it says. What changes no balance is a warning.`;

const FLOW_CONTROL = `Priorities above 0 are the band Critical, 0 is Standard, below 0 Sheddable; limits of priorities that are
one band are added. Tenants of a band take turns in equal shares of tokens. Every limit is bounded: one that the file
leaves out, or turns off with 0, is that of \`spec.schedulers[].flowControl\`, and no request waits longer than 5m.
\`noEndpointRequestTTL\` is \`emptyPoolHold\` of this scheduler. \`spec.schedulers[].flowControl\` wins over the file.`;

/** The page on the plugins, parameters and gates of an `EndpointPickerConfig`. */
export function endpointPickerConfigPage(): GeneratedFile {
  const plugins = [...PLUGINS].sort(([a], [b]) => (a < b ? -1 : 1));
  const sections = [
    '# EndpointPickerConfig',
    '<!-- Generated from the plugins in lib/translate by `npm run generate`. Do not edit. -->',
    INTRODUCTION,
    '## Plugins that are followed',
    markdownTable(
      ['type', 'role', 'here'],
      plugins.flatMap(([type, plugin]) => ('refused' in plugin ? [] : [[`\`${type}\``, plugin.role, meaning(plugin)]])),
    ),
    '## Plugins that are refused',
    markdownTable(
      ['type', 'why, and what to do'],
      plugins.flatMap(([type, plugin]) => ('refused' in plugin ? [[`\`${type}\``, plugin.refused]] : [])),
    ),
    '## Parameters',
    'None is followed. These decide how the fleet is balanced, and are refused where they ask for something else:',
    markdownTable(
      ['plugin', 'parameter', 'only', 'why'],
      Object.entries(DECISIVE).flatMap(([type, parameters]) =>
        Object.entries(parameters).map(([name, { same, advice }]) => [
          `\`${type}\``,
          `\`${name}\``,
          same === undefined ? '' : `\`${same}\``,
          advice,
        ]),
      ),
    ),
    'All others are warnings; of these more is known:',
    markdownTable(
      ['parameter', 'why it is not needed'],
      Object.entries(IGNORED).map(([name, reason]) => [`\`${name}\``, reason]),
    ),
    '## Feature gates',
    markdownTable(
      ['gate', 'here'],
      Object.entries(FEATURE_GATES).map(([gate, reason]) => [`\`${gate}\``, reason ?? 'does what it says']),
    ),
    '## flowControl',
    FLOW_CONTROL,
  ];
  return { path: 'docs/reference/endpoint-picker-config.md', content: `${sections.join('\n\n')}\n` };
}

function meaning(plugin: Exclude<Plugin, { refused: string }>): string {
  if ('scorer' in plugin) return `weight \`${plugin.scorer}\``;
  return plugin.instead ?? 'what happens in any case';
}
