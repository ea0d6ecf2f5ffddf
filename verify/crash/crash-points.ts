/**
 * The instants at which the death of a process matters: each is a place in the product's sources, found by
 * its exact text. A text that does not occur exactly once fails the run. The product does not know these
 * points: die-at-point.ts inserts the kill into the source while it is loaded.
 */
export interface CrashPoint {
  readonly name: string;
  /** From the repository's root. */
  readonly file: string;
  readonly before: string;
  /** Dies only when this expression is true at that place. */
  readonly when?: string;
  /** The marketplace fault that is needed to reach the place. */
  readonly needs?: "lost payment" | "refused token";
}

const MOVES = "src/purchasing/moves.ts";
const DECISIONS = "src/store/purchases/decisions.ts";
const ATTEMPTS = "src/purchasing/attempt/attempts.ts";
const SESSIONS = "src/purchasing/account/account-sessions.ts";

/** After a decision, before its write. */
function uncommitted(name: string, when: string, needs?: CrashPoint["needs"]): CrashPoint {
  const before = "    const moved = await operations.move(";
  return { name: `${name}, not committed`, file: DECISIONS, before, when, ...(needs && { needs }) };
}

/** After the commit, before the event is published. */
function committed(name: string, when: string, needs?: CrashPoint["needs"]): CrashPoint {
  const before = "        const { after, change } = advance;";
  const condition = `advance.change !== null && ((change) => ${when})(advance.change)`;
  return { name: `${name}, committed`, file: MOVES, before, when: condition, ...(needs && { needs }) };
}

/** The facts of a decision that takes the last place in a group. */
const isLastIn = (facts: string): string =>
  `${facts}.group !== null && ${facts}.taken.groupCount + 1 >= ${facts}.group.maxPurchases`;

const isPaying = 'change.next.attemptPhase === "paying"';
const is = (state: string) => `change.next.state === "${state}"`;

export const crashPoints: readonly CrashPoint[] = [
  {
    name: "an intent, not committed",
    file: DECISIONS,
    before: "  const results = await operations.open(",
  },
  {
    name: "an intent, committed",
    file: "src/purchasing/queue/wishes.ts",
    before: '  if (outcome.kind === "opened") moves.announceOpened(outcome);',
    when: 'outcome.kind === "opened"',
  },
  {
    name: "the last place of a group, not committed",
    file: DECISIONS,
    before: "  const results = await operations.open(",
    when: `decided.some(({ facts }) => ${isLastIn("facts.ruleFacts")})`,
  },
  {
    name: "the last place of a group, committed",
    file: "src/purchasing/queue/wishes.ts",
    before: '  if (outcome.kind === "opened") moves.announceOpened(outcome);',
    when: `outcome.kind === "opened" && outcome.snapshot !== null && ${isLastIn("outcome.snapshot.facts.ruleFacts")}`,
  },
  {
    name: "the end of a group, committed and not published",
    file: MOVES,
    before: "        const { after, change } = advance;",
    when: 'advance !== null && advance.stops.some(({ reason }) => reason === "group")',
  },
  {
    name: "a held match, durable and not published",
    file: "src/feed/facts/held-matches.ts",
    before: "    const published = await publish({",
  },
  {
    name: "a block, committed and not answered",
    file: "src/http/routes/vendeurs.ts",
    before: "      if (list === null) throw new Refusal(409, TEXTS.tooManySellers);",
  },
  {
    name: "the conversation is opened",
    file: "src/purchasing/attempt/prepare-quote.ts",
    before: "  const built = checkedQuote(record, await checkout.buildCheckout(access, transactionId));",
  },
  {
    name: "the checkout is built",
    file: "src/purchasing/attempt/prepare-quote.ts",
    before: "  progress.reachedCheckout = true;",
  },
  {
    name: "the last quote has come",
    file: "src/purchasing/attempt/prepare-quote.ts",
    before: "  return { transactionId, quote };",
  },
  uncommitted("paying decided", isPaying),
  committed("paying decided", isPaying),
  {
    name: "the paying request is about to leave",
    file: ATTEMPTS,
    before: "        return await checkout.pay(",
  },
  {
    name: "the paying request was answered",
    file: ATTEMPTS,
    before: "    return await eventOfAnswer(deps, record, answer);",
  },
  uncommitted("a confirmation", is("confirmed")),
  committed("a confirmation", is("confirmed")),
  uncommitted("a doubt", is("unknown"), "lost payment"),
  committed("a doubt", is("unknown"), "lost payment"),
  {
    name: "the orders were read in doubt",
    file: "src/purchasing/reconcile/order-check.ts",
    before: "      await deps.moves.move(record, await resultOf(deps, record, timeOfRead(record)));",
    when: 'record.state === "unknown"',
    needs: "lost payment",
  },
  uncommitted("a wish to cancel", is("cancelling")),
  committed("a wish to cancel", is("cancelling")),
  {
    name: "the cancel was answered",
    file: "src/purchasing/reconcile/cancels.ts",
    before: "    const order = transaction.listingId === record.listingId",
  },
  uncommitted("a cancellation", is("cancelled")),
  committed("a cancellation", is("cancelled")),
  {
    name: "a new pair of tokens, committed",
    file: SESSIONS,
    before: "    return { ...tokens, ...pair, generation: tokens.generation + 1 };",
    needs: "refused token",
  },
  // Last, because a process that dies here loses the session and the person must reconnect.
  {
    name: "a new pair of tokens has come, not committed",
    file: SESSIONS,
    before: "    if (await accounts.saveRotation(userId, pair)) return true;",
    needs: "refused token",
  },
];
