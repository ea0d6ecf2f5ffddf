/**
 * `npm run admin -- …`: the operator's command. It talks to the running product over its socket file and never opens the
 * store itself.
 */
import { z } from "zod";
import { type OperatorReport, doctorReport, finding } from "#contract/operator.ts";
import { askProduct, dataDirOf, ProductDown } from "./ask-product.ts";
import { checkMachine } from "./local-checks.ts";
import { type TypedCommand, parseCommand, USAGE, UsageError } from "./parse-command.ts";

const FAILED = 1;
const WRONG_USAGE = 2;
const findings = z.array(finding);

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  if (words.length === 0 || words.includes("--help")) {
    console.log(USAGE);
    return words.length === 0 ? WRONG_USAGE : 0;
  }
  try {
    // npm changes to the project's folder; INIT_CWD is the caller's.
    const typed = parseCommand(words, process.env["INIT_CWD"] ?? process.cwd());
    return await carryOut(typed);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    return WRONG_USAGE;
  }
}

async function carryOut(typed: TypedCommand): Promise<number> {
  const dataDir = dataDirOf(process.env);
  try {
    const answer = await askProduct(typed, dataDir);
    if (answer.ok) return print(answer, typed);
    console.error(forTerminal(answer.error));
    return FAILED;
  } catch (error) {
    if (error instanceof ProductDown && typed.command === "doctor")
      return print(doctorReport(await checkMachine(process.env, dataDir)), typed);
    console.error(
      error instanceof ProductDown
        ? `the product does not run with DATA_DIR ${dataDir}: start it, or ask "doctor"`
        : `the product could not be asked: ${error instanceof Error ? error.message : "unknown"}`,
    );
    return FAILED;
  }
}

function print({ lines, data }: OperatorReport, { command, isJson }: TypedCommand): number {
  console.log(forTerminal(isJson ? JSON.stringify(data, null, 2) : lines.join("\n")));
  return command === "doctor" && findings.parse(data).some((one) => one.isWrong) ? FAILED : 0;
}

/**
 * Some text comes from sellers and people: it must not contain terminal escapes or change the text direction.
 * In JSON the escapes have the same meaning.
 */
function forTerminal(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, (sign) =>
    Array.from({ length: sign.length }, (_, index) => escaped(sign.charCodeAt(index))).join(""),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
