import { z } from "zod";
import {
  type OperatorAnswer,
  type OperatorCommand,
  operatorCommands,
  type OperatorReport,
  type OperatorInput,
} from "#contract/operator.ts";
import { asPurchaseId } from "#domain/ids.ts";
import { describeError } from "#domain/log.ts";
import { StoreError } from "#store/errors.ts";
import { backupStore, examine, rotateKeys } from "./doctor.ts";
import { type OperatorDeps, OperatorError, personNamed, printable } from "./operator-deps.ts";
import {
  grantPlan,
  listUsers,
  listWaiting,
  revokePlan,
  showPerson,
  suspendPerson,
  unsuspendPerson,
} from "./people.ts";
import { erasePerson, exportPerson } from "./personal-data.ts";
import { reportAlerts, showArchive } from "./reports.ts";

type CommandHandler = (input: unknown, deps: OperatorDeps) => Promise<OperatorReport>;

/** Validates the request, regardless of the client. */
function validated<Schema extends z.ZodType>(
  schema: Schema,
  handle: (input: z.output<Schema>, deps: OperatorDeps) => Promise<OperatorReport>,
): CommandHandler {
  return async (input, deps) => handle(schema.parse(input), deps);
}

const handlers: Readonly<Record<OperatorCommand, CommandHandler>> = {
  users: validated(operatorCommands.users, (_input, deps) => listUsers(deps)),
  show: validated(operatorCommands.show, showPerson),
  grant: validated(operatorCommands.grant, grantPlan),
  revoke: validated(operatorCommands.revoke, revokePlan),
  waitlist: validated(operatorCommands.waitlist, (_input, deps) => listWaiting(deps)),
  suspend: validated(operatorCommands.suspend, suspendPerson),
  unsuspend: validated(operatorCommands.unsuspend, unsuspendPerson),
  stop: validated(operatorCommands.stop, stopBuying),
  resume: validated(operatorCommands.resume, resumeBuying),
  resolve: validated(operatorCommands.resolve, resolvePurchase),
  export: validated(operatorCommands.export, exportPerson),
  erase: validated(operatorCommands.erase, erasePerson),
  backup: validated(operatorCommands.backup, backupStore),
  "rotate-keys": validated(operatorCommands["rotate-keys"], (_input, deps) => rotateKeys(deps)),
  alerts: validated(operatorCommands.alerts, (_input, deps) => reportAlerts(deps)),
  doctor: validated(operatorCommands.doctor, (_input, deps) => examine(deps)),
  archive: validated(operatorCommands.archive, showArchive),
};

function isCommand(word: string): word is OperatorCommand {
  return Object.hasOwn(handlers, word);
}

/** Executes an operator command. Never throws: failures are reported without internals. */
export async function answerOperator(
  command: string,
  input: unknown,
  deps: OperatorDeps,
): Promise<OperatorAnswer> {
  const { log } = deps;
  if (!isCommand(command)) return { ok: false, error: `"${command.slice(0, 40)}" is no command` };
  log.info({ command }, "the operator asks");
  try {
    return { ok: true, ...(await handlers[command](input, deps)) };
  } catch (error) {
    if (error instanceof OperatorError || error instanceof StoreError)
      return { ok: false, error: error.message };
    if (error instanceof z.ZodError) return { ok: false, error: z.prettifyError(error) };
    log.error({ command, ...describeError(error) }, "an operator's command failed");
    return { ok: false, error: "the command failed: the log says where" };
  }
}

const REASON = "operator";

/** Sends no further purchase of one person, or of anybody; requests already sent may finish. */
async function stopBuying({ name }: OperatorInput<"stop">, deps: OperatorDeps): Promise<OperatorReport> {
  const { operator } = deps.purchasing;
  if (name === undefined) {
    await operator.stop("everyone", REASON);
    return { lines: ["nobody's purchases are sent any more"], data: { stopped: "everyone" } };
  }
  const user = await personNamed(name, deps);
  await operator.stop(user.id, REASON);
  return { lines: [`no purchase of ${printable(user.login)} is sent any more`], data: { stopped: user.id } };
}

/** Lifts the operator's stops, and automatic ones that only the operator may lift. */
async function resumeBuying({ name }: OperatorInput<"resume">, deps: OperatorDeps): Promise<OperatorReport> {
  const { operator } = deps.purchasing;
  if (name === undefined) {
    await operator.resume("everyone");
    return { lines: ["purchases are sent again"], data: { resumed: "everyone" } };
  }
  const user = await personNamed(name, deps);
  await operator.resume(user.id);
  return { lines: [`purchases of ${printable(user.login)} are sent again`], data: { resumed: user.id } };
}

/** Settles an undecided purchase with the outcome that the operator established. */
async function resolvePurchase(
  { purchase, outcome }: OperatorInput<"resolve">,
  { purchasing }: OperatorDeps,
): Promise<OperatorReport> {
  const result = await purchasing.operator.resolve(asPurchaseId(purchase), outcome);
  if (result.kind === "not_found") throw new OperatorError(`there is no purchase "${printable(purchase)}"`);
  if (result.kind === "not_undecided")
    throw new OperatorError(
      "this purchase is decided, or the product is still finding out: only 'Inconnu', and a bank that was awaited for a day, can be settled by hand",
    );
  return { lines: [`the purchase is ${outcome}`], data: { purchase: result.purchase.id, outcome } };
}
