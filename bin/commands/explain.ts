import { Command, InvalidArgumentError, Option } from 'commander';
import pc from 'picocolors';
import { decisionJson } from '../../runtime/explain/decision-json';
import { decisionText } from '../../runtime/explain/decision-text';
import { type RecordedDecision, recordedDecisions } from '../../runtime/explain/recorded-decision';
import { type Selection, selectDecisions } from '../../runtime/explain/select-decisions';
import { summaryText } from '../../runtime/explain/summary-text';
import { fileFault } from '../../runtime/simulator/run/file-fault';
import { readTraceText } from '../../runtime/simulator/run/trace-file';
import { linesOf } from '../../runtime/simulator/workload/lines';
import { EXIT_USAGE, fail } from '../exit';

interface ExplainFlags extends Selection {
  readonly json?: true;
}

export function explainCommand(): Command {
  return new Command('explain')
    .description('show why a recorded decision was made: candidates, scores, winner, and how the prediction turned out')
    .argument('<recording>', 'what "local --record" wrote')
    .option('--pick <number>', 'the decision of this number', wholeNumber)
    .addOption(
      new Option('--slowest <count>', 'the decisions with the longest time to first token')
        .argParser(wholeNumber)
        .conflicts('pick'),
    )
    .option('--scheduler <name>', 'decisions of this scheduler alone, as namespace/name')
    .option('--json', 'print a line of JSON for each decision')
    .action(runExplain);
}

async function runExplain(file: string, flags: ExplainFlags): Promise<void> {
  // A reader that has seen enough, such as head, is no fault.
  process.stdout.on('error', () => process.exit(0));
  const all = await read(file).catch((error: unknown) => fail(`${file}: ${fileFault(error)}`, EXIT_USAGE));
  const summary = flags.pick === undefined && flags.slowest === undefined && !flags.json;
  try {
    const decisions = selectDecisions(all, flags);
    if (summary) process.stdout.write(summaryText(decisions));
    else for (const decision of decisions) process.stdout.write(flags.json ? decisionJson(decision) : text(decision));
  } catch (error) {
    fail(error, EXIT_USAGE);
  }
}

async function read(file: string): Promise<RecordedDecision[]> {
  return recordedDecisions(linesOf(await readTraceText(file)));
}

function text(decision: RecordedDecision): string {
  return `${decisionText(decision, pc)}\n`;
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a whole number from 1.');
  return Number(text);
}
