import { swap, type Mutant } from "./mutant.ts";

/** What is read wrongly out of an answer, and sessions that are handled wrongly. */
const CLASSIFY = "src/purchasing/classify.ts";
const READ = "src/marketplace/read-answer.ts";
const SESSIONS = "src/purchasing/account-sessions.ts";

export const answers: readonly Mutant[] = [
  {
    name: "a timeout of the paying request is tried again",
    patches: swap(
      CLASSIFY,
      "if (!(error instanceof MarketplaceError) || !error.isDefinite) return null;",
      'if (error instanceof MarketplaceError && error.code === "timeout") return unavailable();\n  if (!(error instanceof MarketplaceError) || !error.isDefinite) return null;',
    ),
    tests: ["src/purchasing/classify.test.ts"],
  },
  {
    name: "a 400 of an unknown shape means that nothing was paid",
    patches: swap(READ, "    isDoubtful: !isAgreed,", "    isDoubtful: !isAgreed && status < 400,"),
    tests: ["src/marketplace/read-answer.test.ts"],
  },
  {
    name: "a 502 of the paying request is tried again",
    patches: swap(
      READ,
      'throw new MarketplaceError("server_error", { status });',
      'throw new MarketplaceError("unreachable", { status });',
    ),
    tests: ["src/marketplace/read-answer.test.ts"],
  },
  {
    name: "a redirect with a valid body is believed",
    patches: swap(
      READ,
      '  if (status >= 300 && status < 400) throw new MarketplaceError("redirected", { status });\n',
      "",
    ),
    tests: ["src/marketplace/read-answer.test.ts"],
  },
  {
    name: "an answer about another transaction is believed",
    patches: swap(
      CLASSIFY,
      "answer.listingId === record.listingId && transactionId === record.attemptTransactionId;",
      "answer.listingId === record.listingId;",
    ),
    tests: ["src/purchasing/classify.test.ts"],
  },
  {
    name: "a payment that is still being prepared counts as doubtful-free success",
    patches: swap(CLASSIFY, 'if (status === "preparing") return { kind: "preparing" };\n', ""),
    tests: ["src/purchasing/classify.test.ts"],
  },
  {
    name: "Retry-After is not obeyed",
    patches: swap(CLASSIFY, "waitMs: error.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS", "waitMs: 0"),
    tests: ["src/purchasing/classify.test.ts"],
  },
  {
    name: "an amount in the exponent's notation is guessed",
    patches: swap(
      "src/domain/money.ts",
      "  const match = DECIMAL_AMOUNT.exec(amount);\n",
      "  if (/^[0-9]e[0-9]$/.test(amount)) return Number(amount) * 100;\n  const match = DECIMAL_AMOUNT.exec(amount);\n",
    ),
    tests: ["src/domain/money.test.ts"],
  },
  {
    name: "a request that broke after it was sent counts as never sent",
    patches: swap("src/marketplace/exchange.ts", "() => !connection.isOpen);", "() => true);"),
    tests: ["src/marketplace/exchange.test.ts"],
  },
  {
    name: "the paying request leaves through a connection that others left behind",
    patches: swap(
      "src/marketplace/http-marketplace.ts",
      "        isTooLate: () => clock.nowMs() > notAfterMs,\n",
      "",
    ),
    tests: ["src/marketplace/http-marketplace.test.ts"],
  },
  {
    name: "a new access token is used before its pair is committed",
    patches: swap(
      SESSIONS,
      "    const isSaved = await savedPair(deps, userId, { generation: tokens.generation, ...pair });",
      "    const isSaved = true;\n    setTimeout(() => void savedPair(deps, userId, { generation: tokens.generation, ...pair }), 50);",
    ),
    tests: ["src/purchasing/account-sessions.test.ts"],
  },
  {
    name: "a new pair of tokens is dropped when the store breaks",
    patches: swap(
      SESSIONS,
      "    if (await accounts.saveRotation(userId, pair)) return true;\n    if (!isRepeated) return false;",
      "    if (isRepeated) return false;\n    if (await accounts.saveRotation(userId, pair)) return true;",
    ),
    tests: ["src/purchasing/account-sessions.test.ts"],
    only: "lost its answer",
  },
  {
    name: "two nodes refresh one account at once",
    patches: swap(SESSIONS, 'if (outcome.kind === "claimed") return', "return"),
    tests: ["src/purchasing/account-sessions.test.ts"],
  },
  {
    name: "a lost refresh is asked for again and again",
    patches: swap(
      SESSIONS,
      "    return await deps.marketplace.refreshTokens(refreshToken);\n  }\n}",
      "    for (let tries = 0; ; tries += 1)\n      try {\n        return await deps.marketplace.refreshTokens(refreshToken);\n      } catch (again) {\n        if (tries === 3) throw again;\n      }\n  }\n}",
    ),
    tests: ["src/purchasing/account-sessions.test.ts"],
  },
  {
    name: "a call that must not be repeated is repeated after a 401",
    patches: swap(SESSIONS, "        if (!retryOn401) throw error;\n", ""),
    tests: ["src/purchasing/account-sessions.test.ts"],
  },
  {
    name: "a refused token is used on",
    patches: swap(
      SESSIONS,
      "    if (isRefusal(error)) await markRefused(deps, userId, tokens.generation);\n",
      "",
    ),
    tests: ["src/purchasing/account-sessions.test.ts"],
  },
  {
    name: "a claim to refresh is taken over as soon as it is seen",
    patches: swap(SESSIONS, "seen !== null && seen.polls >= ABANDONED_AFTER_POLLS", "seen !== null"),
    tests: ["src/purchasing/account-sessions.test.ts"],
  },
  {
    name: "a token that is given again takes the place of what came of it",
    patches: swap(
      "src/store/account-rows.ts",
      "refreshToken !== null && (await stands(tx, key, { userId, refreshToken }))",
      "refreshToken === undefined",
    ),
    tests: ["src/store/store.test.ts"],
    only: "given again",
  },
  {
    name: "a token that was refused is not taken when it is given again",
    patches: swap(
      "src/store/account-rows.ts",
      'if (row?.state !== "connected") return false;',
      "if (row === undefined) return false;",
    ),
    tests: ["src/store/store.test.ts"],
    only: "given again",
  },
];
