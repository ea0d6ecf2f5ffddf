import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type OperatorCommand, operatorCommands } from "#contract/operator.ts";

/** A parsed command, validated as far as possible without the product. */
export interface TypedCommand {
  readonly command: OperatorCommand;
  readonly input: unknown;
  readonly isJson: boolean;
}

/** An invalid command line; the message explains the error. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const USAGE = `npm run admin -- COMMAND [--json]

  users                                  everybody
  show NAME                              one person
  waitlist                               who waits, first come first
  grant NAME seeker|acquire|thunder [--days N]
  revoke NAME                            no plan any more
  suspend NAME, unsuspend NAME           no access, and access again
  stop [NAME], resume [NAME]             no purchase of NAME's, or of anybody; and again
  resolve PURCHASE confirmed|cancelled   settles one that could not be decided
  export NAME                            all of a person's data, as JSON
  erase NAME                             removes a person's data
  backup FILE                            a consistent copy of the embedded store
  rotate-keys                            a new key, and everything sealed anew
  alerts                                 what waits and what was sent, by channel
  archive [erase]                        what is kept of the market; or deletes it
  doctor                                 what is wrong and how to mend it

NAME is an id or a unique login.`;

/** The arguments of each command, in order; a question mark marks an optional one. */
const WORDS: Readonly<Record<OperatorCommand, readonly string[]>> = {
  users: [],
  show: ["name"],
  waitlist: [],
  grant: ["name", "plan"],
  revoke: ["name"],
  suspend: ["name"],
  unsuspend: ["name"],
  stop: ["name?"],
  resume: ["name?"],
  resolve: ["purchase", "outcome"],
  export: ["name"],
  erase: ["name"],
  backup: ["file"],
  "rotate-keys": [],
  alerts: [],
  doctor: [],
  archive: ["action?"],
};

/**
 * @param words the arguments after the program's name
 * @param folder the base of relative file names
 * @throws UsageError
 */
export function parseCommand(words: readonly string[], folder: string): TypedCommand {
  const { values, positionals } = readWords(words);
  const [command, ...given] = positionals;
  if (command === undefined || !isCommand(command))
    throw new UsageError(command === undefined ? "a command is missing" : `"${command}" is no command`);
  if (values.days !== undefined && command !== "grant") throw new UsageError("--days belongs to grant");
  const named = nameWords(command, given);
  const input = {
    ...named,
    ...(named["file"] === undefined ? {} : { file: resolve(folder, named["file"]) }),
    ...(values.days === undefined ? {} : { days: Number(values.days) }),
  };
  const checked = operatorCommands[command].safeParse(input);
  if (checked.success) return { command, input, isJson: values.json };
  const [issue] = checked.error.issues;
  throw new UsageError(`${command}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? "is wrong"}`);
}

function readWords(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { json: { type: "boolean", default: false }, days: { type: "string" } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : "the options could not be read");
  }
}

function isCommand(word: string): word is OperatorCommand {
  return Object.hasOwn(operatorCommands, word);
}

function nameWords(command: OperatorCommand, given: readonly string[]): Record<string, string> {
  const expected = WORDS[command];
  const needed = expected.filter((word) => !word.endsWith("?"));
  if (given.length < needed.length) throw new UsageError(`${command} needs ${needed.join(" and ")}`);
  if (given.length > expected.length)
    throw new UsageError(`${command} does not take "${given.at(-1) ?? ""}"`);
  return Object.fromEntries(given.map((word, index) => [expected[index]?.replace("?", "") ?? "", word]));
}
