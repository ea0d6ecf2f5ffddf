import { BESIDE, bugsIn, type Mutant } from "./mutant.ts";

const STORE = { tests: ["src/store/store.test.ts"] };
const WORLD = { tests: ["src/server/alerts.test.ts"] };
const PLANNER = { tests: ["src/alerts/plan/planner.test.ts"] };

/** Alerts: recipients, limits, timing, and what a link can buy. */
const bugs: readonly Mutant[] = [
  ...bugsIn("src/store/people/alerts.ts", { ...STORE, only: "a link is used once" }, [
    [
      "a link buys for whoever holds it",
      "and(eq(alertLinks.tokenHash, tokenHash), eq(alertLinks.userId, userId))",
      "eq(alertLinks.tokenHash, tokenHash)",
    ],
    ["a link buys twice", "isNull(alertLinks.usedAtMs), ", ""],
    ["a link has no end", ", gt(alertLinks.expiresAtMs, nowMs)))", "))"],
  ]),
  ...bugsIn("src/alerts/actions.ts", WORLD, [
    [
      "a link buys at any price",
      "const seenPrice = eur(link.totalPriceCents)",
      "const seenPrice = eur(link.totalPriceCents * 10)",
    ],
  ]),
  ...bugsIn("src/http/routes/alertes.ts", WORLD, [
    [
      "whoever looks at a link buys",
      "const found = await actions.look(userId, request.body.jeton);",
      "await actions.buy(userId, request.body.jeton);\n      const found = await actions.look(userId, request.body.jeton);",
    ],
  ]),
  ...bugsIn("src/alerts/channels/telegram/updates.ts", WORLD, [
    ["a chat buys without leave", 'if (maySpend && act === "confirm")', 'if (act === "confirm")'],
  ]),
  ...bugsIn("src/alerts/delivery.ts", BESIDE, [
    [
      "a blocked seller's listing is sent",
      "if (blocked.has(message.article.seller))",
      "if (blocked.size < 0)",
    ],
    ["a filter that is off sends what waits", "if (!claimed.isWanted)", "if (claimed.attempts < 0)"],
    ["suspended people are alerted", "if (claimed.isSuspended)", "if (claimed.attempts < 0)"],
    ["a lost destination is written to", "if (claimed.isLost && type", "if (claimed.attempts < 0 && type"],
    [
      "what waited until the night is heard",
      "quiet === null || nowMs < quiet.startMs",
      "quiet !== undefined",
    ],
    ["a retry does not wait for Retry-After", "Math.max(delayMs, waitMs ?? 0)", "delayMs"],
    [
      "a destination that must wait gets its next alert",
      "notBeforeMs = waitMs === null ? 0 : nowMs + waitMs",
      "notBeforeMs = 0",
    ],
    [
      "a stop leaves what it has just claimed to the next start, which sends it again",
      "const ended = this.#claiming.then(() => Promise.all(this.#sending));",
      "const ended = Promise.all(this.#sending);",
    ],
    ["an unknown outcome is repeated for ever", "claimed.unknownAttempts >= MAX_UNKNOWN || ", ""],
  ]),
  ...bugsIn("src/alerts/channels/discord/discord.ts", { tests: ["src/alerts/delivery.test.ts"] }, [
    ["an address that is gone is asked again", "const GONE = [401, 403, 404]", "const GONE = [410]"],
  ]),
  ...bugsIn("src/alerts/plan/quiet-hours.ts", { tests: ["src/alerts/plan/decide.test.ts"] }, [
    ["quiet hours are those of UTC", 'const ZONE = "Europe/Paris"', 'const ZONE = "UTC"'],
  ]),
  ...bugsIn("src/alerts/plan/decide.ts", BESIDE, [
    ["an hour holds one alert too many", "hour.sentCount >= person", "hour.sentCount > person"],
    [
      "a start counts again what was counted beyond the limits",
      "moment.nowMs <= source.countedUntilMs",
      "moment.nowMs < source.countedUntilMs - 60_000",
      PLANNER,
    ],
    ["what a filter buys is announced before", "|| filter.isBuying) return", ") return"],
    ["a night has a digest for each hour", "digest = isBack && hasNews", "digest = away !== null && hasNews"],
    [
      "a match from before the night ends it",
      "moment.nowMs >= (away.startMs ?? 0)",
      "moment.nowMs >= 0",
      { tests: ["src/alerts/plan/absence.test.ts"] },
    ],
    [
      "a night has one digest at most",
      "lastDigest === undefined ? key",
      "lastDigest !== null ? key",
      { tests: ["src/alerts/plan/absence.test.ts"] },
    ],
  ]),
  ...bugsIn("src/alerts/plan/planner.ts", PLANNER, [
    [
      "a listing is announced each time it is read",
      "subject: subjectOf(match.listing),",
      // oxlint-disable-next-line no-template-curly-in-string -- Source text.
      "subject: `${subjectOf(match.listing)}:${Math.random()}`,",
    ],
    ["a dearer listing is announced again", "cheaperSinceMs === undefined ? ", "cheaperSinceMs === 0 ? "],
    [
      "a start counts what was sent against the hour again",
      "of await alerts.outbox.plannedArticles(fromMs, MAX_REMEMBERED))",
      "of [] as { userId: UserId; subject: string }[])",
    ],
    [
      "what is recorded after the start is forgotten",
      "again !== null && nowMs >=",
      "again !== null && -nowMs >=",
    ],
  ]),
  ...bugsIn("src/store/sql/alert-plan.sql", { ...STORE, only: "announces a bank confirmation" }, [
    [
      "a waiting bank is silenced by a switch",
      "then d.channel <> 'courriel'",
      "then d.has_account and d.channel <> 'courriel'",
    ],
  ]),
  ...bugsIn("src/store/sql/alert-settle.sql", { ...STORE, only: "is claimed one alert per destination" }, [
    [
      "what waits for a lost destination is still sent",
      "where s.is_destination_lost and o.destination_id",
      "where not s.is_destination_lost and o.destination_id",
    ],
  ]),
];

/** Selected by `npm run mutants -- alerts:`. */
export const alerts = bugs.map((bug) => ({ ...bug, name: `alerts: ${bug.name}` }));
