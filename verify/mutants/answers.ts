import { BESIDE, bugsIn, type Mutant } from "./mutant.ts";

/** Bugs in the interpretation of marketplace answers and in the handling of sessions. */
export const answers: readonly Mutant[] = [
  ...bugsIn("src/purchasing/decide/classify.ts", BESIDE, [
    [
      "a timeout of the paying request is tried again",
      "if (!(error instanceof MarketplaceError) |",
      'if (error instanceof MarketplaceError && error.code === "timeout") return unavailable();\n  if (!(error instanceof MarketplaceError) |',
    ],
    [
      "an answer about another transaction is believed",
      "listingId && transactionId === record.attemptTransactionId",
      "listingId",
    ],
    [
      "a payment that is still being prepared counts as doubtful-free success",
      'if (status === "preparing") return { kind: "preparing" };',
      "",
    ],
    ["Retry-After is not obeyed", "error.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS", "0"],
  ]),
  ...bugsIn("src/marketplace/read-answer.ts", BESIDE, [
    [
      "a 400 of an unknown shape means that nothing was paid",
      "isDoubtful: !isAgreed,",
      "isDoubtful: !isAgreed && status < 400,",
    ],
    ["a 502 of the paying request is tried again", '("server_error', '("unreachable'],
    [
      "a redirect with a valid body is believed",
      'if (status >= 300 && status < 400) throw new MarketplaceError("redirected", { status });',
      "",
    ],
  ]),
  ...bugsIn("src/marketplace/exchange.ts", BESIDE, [
    [
      "a request that broke after it was sent counts as never sent",
      "() => !connection.isOpen);",
      "() => true);",
    ],
  ]),
  ...bugsIn("src/marketplace/http-marketplace.ts", BESIDE, [
    [
      "the paying request leaves through a connection that others left behind",
      "isTooLate: () => clock.nowMs() > notAfterMs,",
      "",
    ],
  ]),
  ...bugsIn("src/purchasing/account/account-sessions.ts", BESIDE, [
    [
      "a new access token is used before its pair is committed",
      "await savedPair(deps, userId, { generation: tokens.generation, ...pair }",
      "true;\n    setTimeout(() => void savedPair(deps, userId, { generation: tokens.generation, ...pair }), 50",
    ],
    ["two nodes refresh one account at once", 'if (outcome.kind === "claimed") return', "return"],
    [
      "a refresh that waited for its turn is sent after another node took it over",
      "clock.nowMs() > notAfterMs || !isAlive()",
      "!isAlive()",
    ],
    [
      "a refresh is sent by a node that was counted out",
      "clock.nowMs() > notAfterMs || !isAlive()",
      "clock.nowMs() > notAfterMs",
    ],
    [
      "a refresh is sent a second time although the marketplace asked to wait",
      '"blocked", "rate_limited"',
      '"blocked"',
    ],
    ["a call that must not be repeated is repeated after a 401", "if (!retryOn401) throw error;", ""],
  ]),
  ...bugsIn(
    "src/store/people/settings.ts",
    { tests: ["src/store/store.test.ts"], only: "token saved again" },
    [
      [
        "a token that is given again takes the place of what came of it",
        "!== null && account !== null && isSameToken(key, account, refreshToken)",
        "=== undefined",
      ],
    ],
  ),
];
