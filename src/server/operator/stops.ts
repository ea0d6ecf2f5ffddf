/** The operator's stops: `stop`, `resume`, `resolve`. */
import type { OperatorInput, OperatorReport } from "#contract/operator.ts";
import { asPurchaseId } from "#domain/ids.ts";
import { type OperatorDeps, OperatorError, personNamed, printable } from "./operator-deps.ts";

const REASON = "operator";

/** Sends no further purchase of one person, or of anybody; requests already sent may finish. */
export async function stopBuying(
  { name }: OperatorInput<"stop">,
  deps: OperatorDeps,
): Promise<OperatorReport> {
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
export async function resumeBuying(
  { name }: OperatorInput<"resume">,
  deps: OperatorDeps,
): Promise<OperatorReport> {
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
export async function resolvePurchase(
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
