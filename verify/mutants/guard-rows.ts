import { swap, type Mutant } from "./mutant.ts";

/** Guards of single requirements, each taken away (`npm run security -- guards`); the others stand in guards.ts. */
const EDGE = ["src/http/edge.test.ts", "src/http/paces.test.ts"];
const OPERATOR = ["src/cli/operator.test.ts"];
const KEY_ROTATION = { tests: ["src/store/key-rotation.postgres.test.ts"], project: "postgres" } as const;
const POISONED_REDIS = ["src/cluster/poisoned-redis.cluster.test.ts"];

export const guardRows: readonly Mutant[] = [
  {
    name: "guard: S2 a person is whoever has the login",
    patches: swap(
      "src/store/users.ts",
      'return vault.keyedHash("provider id", `${provider}\\n${providerId}`);',
      'return vault.keyedHash("provider id", `${provider}\\n${providerId.slice(0, 0)}`);',
    ),
    tests: ["src/store/store.test.ts"],
    only: "users",
  },
  {
    name: "guard: S6 who lost the plan goes on listening",
    patches: swap(
      "src/realtime/socket-server.ts",
      '    if (event.kind === "user_changed") await reconsider(event.userId, people);\n',
      "    void reconsider;\n",
    ),
    tests: ["src/realtime/socket-server.test.ts", "src/realtime/socket-ends.test.ts"],
  },
  {
    name: "guard: S9 purchases that live are hidden",
    patches: swap(
      "src/store/purchases.ts",
      '          inArray(purchases.state, ["cancelled", "failed"]),\n',
      '          inArray(purchases.state, ["cancelled", "failed", "confirmed", "awaiting"]),\n',
    ),
    tests: ["src/http/purchases.test.ts"],
  },
  {
    name: "guard: S11 a connection may ask for its place for ever",
    patches: swap(
      "src/realtime/socket-server.ts",
      "    if (entryCount > MAX_ENTRIES) {\n",
      "    if (entryCount > MAX_ENTRIES * 1_000) {\n",
    ),
    tests: ["src/realtime/socket-server.test.ts", "src/realtime/socket-ends.test.ts"],
    only: "asks for its place",
  },
  {
    name: "guard: S11 who was refused a place stays connected",
    patches: swap(
      "src/realtime/socket-server.ts",
      "      if (refusal !== null) setImmediate(() => conn.close());\n",
      "",
    ),
    tests: ["src/realtime/socket-server.test.ts", "src/realtime/socket-ends.test.ts"],
    only: "asks for its place",
  },
  {
    name: "guard: S12 a body may be of any size",
    patches: swap(
      "src/http/app.ts",
      "const MAX_BODY_BYTES = 64 * 1024;",
      "const MAX_BODY_BYTES = 64 * 1024 * 1024;",
    ),
    tests: EDGE,
  },
  {
    name: "guard: S14 somebody has the same listing twice",
    patches: swap(
      "src/purchasing/admit.ts",
      '  if (own !== undefined && !isOver(own.state)) return refuse({ kind: "already_bought", own });\n',
      "",
    ),
    tests: ["src/purchasing/admit.test.ts"],
  },
  {
    name: "guard: S16 an address holds any number of connections",
    patches: swap(
      "src/http/connections.ts",
      ">= MAX_PER_ADDRESS * share)",
      ">= MAX_PER_ADDRESS * share * 1_000)",
    ),
    tests: ["src/http/connections.test.ts"],
  },
  {
    name: "guard: S14 any number of purchases wait for a person's bank",
    patches: swap(
      "src/purchasing/admit.ts",
      "awaitingCount >= MAX_AWAITING",
      "awaitingCount > 10 * MAX_AWAITING",
    ),
    tests: ["src/purchasing/admit.test.ts"],
  },
  {
    name: "guard: S14 a bank that nobody hears of any more is awaited for ever",
    patches: swap(
      "src/purchasing/watch-transitions.ts",
      "waitedMs > LONG_AFTER_MS ? resolveDoubt",
      "waitedMs > 100 * LONG_AFTER_MS ? resolveDoubt",
    ),
    tests: ["src/purchasing/decide-doubt.test.ts"],
  },
  {
    name: "guard: S27 a webhook that works again stays silent",
    patches: swap(
      "src/alerts/purchase-alerts.ts",
      "      rests.note(webhook, outcome);\n      return outcome;",
      "      return outcome;",
    ),
    tests: ["src/alerts/purchase-alerts.test.ts"],
    only: "answers its owner",
  },
  {
    name: "guard: S35 a pause of the marketplace's locks out who stays after all",
    patches: swap(
      "src/store/purchases-stops.ts",
      "row?.isStopped === true ? row.stopReason : reason",
      "row?.isStopped === true ? reason : reason",
    ),
    tests: ["src/store/purchases.test.ts"],
    only: "keep their reason",
  },
  {
    name: "guard: S16 each who asks for a place on the waiting list has it counted",
    patches: swap(
      "src/store/users.ts",
      "if (!places.has(id)) places",
      "if (!places.has(id) || nowMs > 0) places",
    ),
    tests: ["src/store/store.test.ts"],
    only: "ask for their place at once",
  },
  {
    name: "guard: S27 a webhook that is gone is called for ever",
    patches: swap(
      "src/alerts/webhook-rests.ts",
      'outcome.kind === "gone" ? GONE_REST_MS',
      'outcome.kind === "gone" ? 0 * GONE_REST_MS',
    ),
    tests: ["src/alerts/purchase-alerts.test.ts"],
    only: "is left alone",
  },
  {
    name: "guard: S27 whose webhooks are slow push out others' alerts",
    patches: swap(
      "src/alerts/purchase-alerts.ts",
      "waitingCount >= MANY_WAITING ? FEW_WAITING",
      "waitingCount >= MANY_WAITING ? 0",
    ),
    tests: ["src/alerts/purchase-alerts.test.ts"],
    only: "push out nobody",
  },
  {
    name: "guard: S34 a busy year is cut from an export",
    patches: swap(
      "src/server/operator/personal-data.ts",
      "EXPORTED_AUDIT_ENTRIES = 200_000",
      "EXPORTED_AUDIT_ENTRIES = 10_000",
    ),
    tests: ["src/server/operator/personal-data.test.ts"],
  },
  {
    name: "guard: S16 a connection's port makes another address of it",
    patches: swap("src/auth/networks.ts", "bracketed ?? dotted ?? entry", "bracketed ?? entry ?? dotted"),
    tests: ["src/http/address-limits.test.ts"],
  },
  {
    name: "guard: S15 the latest of several waits shortens the others",
    patches: swap(
      "src/purchasing/account-calls.ts",
      "if (untilMs > (pausedUntilMs.get(userId) ?? 0)) pausedUntilMs",
      "if (untilMs > 0) pausedUntilMs",
    ),
    tests: ["src/purchasing/account-calls.test.ts"],
  },
  {
    name: "guard: S16 one person's whole lists are made all at once",
    patches: swap("src/http/app.ts", "  takeTurns(app);\n", "  void takeTurns;\n"),
    tests: EDGE,
    only: "limits of pace",
  },
  {
    name: "guard: S16 what one person's pages missed is read all at once",
    patches: swap(
      "src/realtime/socket-server.ts",
      "    inTurn: createKeyedQueue(),\n",
      "    inTurn: async (_who, make) => await make(),\n",
    ),
    tests: ["src/realtime/socket-server.test.ts"],
    only: "replays one person's missed",
  },
  {
    name: "guard: S16 filters that are saved at the same time are not counted together",
    patches: swap(
      "src/store/filters.ts",
      "  return (others?.choices ?? 0) + choiceCount(filter) <= maxChoices;\n",
      "  return (others?.choices ?? 0) >= 0 && choiceCount(filter) <= maxChoices;\n",
    ),
    tests: ["src/http/filtres.test.ts"],
    only: "no more choices together",
  },
  {
    name: "guard: S16 each network of an IPv6 subscriber counts for itself",
    patches: swap(
      "src/auth/networks.ts",
      "    { name: `${site}::/48`, share: SHARE_OF_SITE },\n",
      "    { name: `${site}::/48`, share: SHARE_OF_SITE * 65_536 },\n",
    ),
    tests: ["src/http/address-limits.test.ts"],
  },
  {
    name: "guard: S27 what became of another order counts for ours",
    patches: swap(
      "src/marketplace/http-marketplace.ts",
      '  if (answered.id !== transactionId) throw new MarketplaceError("unreadable");\n',
      "  void transactionId;\n",
    ),
    tests: ["src/marketplace/http-marketplace.test.ts"],
  },
  {
    name: "guard: S27 a quote for something else than was chosen is paid",
    patches: swap(
      "src/marketplace/http-marketplace.ts",
      '      if (!confirmsChoices(checkout, { ...choices, checkoutId })) throw new MarketplaceError("unreadable");\n',
      "      void confirmsChoices;\n",
    ),
    tests: ["src/marketplace/http-marketplace.test.ts"],
  },
  {
    name: "guard: S28 an answer waits for its reader for ever",
    patches: swap(
      "src/http/app.ts",
      "    connectionTimeout: STANDSTILL_MS,\n",
      "    connectionTimeout: STANDSTILL_MS * 0,\n",
    ),
    tests: ["src/http/connections.test.ts"],
    only: "reads nothing",
  },
  {
    name: "guard: S21 a stranger fills the audit log",
    patches: swap(
      "src/auth/sign-in.ts",
      "return count <= REFUSALS_ON_RECORD;",
      "return count <= REFUSALS_ON_RECORD * 1_000;",
    ),
    tests: ["src/auth/sign-in.test.ts"],
  },
  {
    name: "guard: S22 a failure is told in its own words",
    patches: swap(
      "src/http/plugins/failures.ts",
      "new Refusal(500, internalErrorText(request.id))",
      "new Refusal(500, error instanceof Error ? error.message : internalErrorText(request.id))",
    ),
    tests: EDGE,
  },
  {
    name: "guard: S25 any page may read answers",
    patches: swap(
      "src/http/plugins/security-headers.ts",
      '  "x-content-type-options": "nosniff",\n',
      '  "x-content-type-options": "nosniff",\n  "access-control-allow-origin": "*",\n',
    ),
    tests: EDGE,
  },
  {
    name: "guard: S28 the marketplace's answer may be of any size",
    patches: swap(
      "src/marketplace/exchange.ts",
      '    if (byteCount > MAX_ANSWER_BYTES) throw new MarketplaceError("unreadable");\n',
      "    void MAX_ANSWER_BYTES;\n",
    ),
    tests: ["src/marketplace/exchange.test.ts"],
  },
  {
    name: "guard: S29 a HEAD runs what a GET does",
    patches: swap("src/http/app.ts", "exposeHeadRoutes: false", "exposeHeadRoutes: true"),
    tests: EDGE,
  },
  {
    name: "guard: S32 any system user commands the product",
    patches: swap(
      "src/server/operator/operator-socket.ts",
      "await chmod(path, 0o600);",
      "await chmod(path, 0o666);",
    ),
    tests: OPERATOR,
    only: "system user",
  },
  {
    name: "guard: S19 new keys are written into what somebody prepared",
    patches: [
      ...swap(
        "src/store/private-file.ts",
        '`${path}.${randomBytes(12).toString("hex")}.unfinished`',
        "`${path}.unfinished`",
      ),
      ...swap(
        "src/store/private-file.ts",
        'openSync(unfinished, "wx", 0o600)',
        'openSync(unfinished, "w", 0o600)',
      ),
    ],
    tests: ["src/store/keys.test.ts"],
  },
  {
    name: "guard: S33 what costs nothing is simulated and kept without end",
    patches: swap("src/server/upkeep.ts", "await store.pruneSimulations(SIMULATIONS_KEPT);", "void store;"),
    tests: ["src/server/upkeep.test.ts"],
  },
  {
    name: "guard: S33 idle sessions stay for ever",
    patches: swap(
      "src/store/sessions.ts",
      "or(lt(sessions.lastSeenAtMs, idleBeforeMs), lt(sessions.createdAtMs, createdBeforeMs))",
      "or(lt(sessions.createdAtMs, createdBeforeMs))",
    ),
    tests: ["src/store/store.test.ts"],
    only: "sessions",
  },
  {
    name: "guard: S34 an export leaves filters out",
    patches: swap(
      "src/server/operator/personal-data.ts",
      "(await store.filters.ofUser(user.id)).map(presentFiltre)",
      "(await store.filters.ofUser(user.id)).slice(0, 0).map(presentFiltre)",
    ),
    tests: OPERATOR,
    only: "export holds",
  },
  {
    name: "guard: S15 what one account alone is answered stops everybody",
    patches: swap(
      "src/purchasing/breaker.ts",
      'const about = code === "unreachable" ? undefined : account;',
      "const about = account === undefined ? account : undefined;",
    ),
    tests: ["src/purchasing/stops.test.ts"],
    only: "breakers",
  },
  {
    name: "guard: S15 who cannot pay tries every listing",
    patches: swap(
      "src/purchasing/wishes.ts",
      "refusedPayers.isResting(wish.userId)",
      'refusedPayers.isResting(wish.userId) && wish.lane === "acquire"',
    ),
    tests: ["src/purchasing/engine.test.ts"],
    only: "could not pay three in a row",
  },
  {
    name: "guard: S16 each call asks the store for its session alone",
    patches: swap("src/store/sessions.ts", "MAX_ASKED_TOGETHER = 1_000", "MAX_ASKED_TOGETHER = 1"),
    tests: ["src/store/store.test.ts"],
    only: "look sessions up at once",
  },
  {
    name: "guard: S19 a new master key seals before every node has it",
    patches: swap(
      "src/store/vault.ts",
      "  return ring.keyOf(row.sealedValue, indexKeyCell);",
      "  return ring.primary;",
    ),
    ...KEY_ROTATION,
  },
  {
    name: "guard: S19 a rotation passes by whoever signs up meanwhile",
    patches: swap(
      "src/store/vault.ts",
      'where(eq(systemMeta.key, INDEX_KEY)).for("share");',
      "where(eq(systemMeta.key, INDEX_KEY));",
    ),
    ...KEY_ROTATION,
  },
  {
    name: "guard: S19 a database's password is taken from the command line",
    patches: swap(
      "src/server/move.ts",
      'if (given !== undefined && (URL.parse(given)?.password ?? "") !== "")',
      'if (given === "")',
    ),
    tests: ["src/server/move.test.ts"],
  },
  {
    name: "guard: S32 a seller's words command the operator's terminal",
    patches: swap("src/cli/main.ts", "text.replaceAll(/[^\\P{C}\\n]/gu,", "text.replaceAll(/\\u0000/gu,"),
    tests: OPERATOR,
    only: "commands no terminal",
  },
  {
    name: "guard: any last cursor in Redis is accepted",
    patches: swap(
      "src/cluster/stream-cursors.ts",
      "if not (last <= (now_ms + ${MAX_AHEAD_MS}) * ${CURSORS_PER_MS}) then last = 0 end\n",
      "-- ${MAX_AHEAD_MS}\n",
    ),
    tests: ["src/server/hostile-redis.cluster.test.ts"],
    only: "last cursor: 9007199254740993",
    project: "cluster",
  },
  {
    name: "guard: a forged wait of years is slept through",
    patches: swap(
      "src/cluster/shared-budget.ts",
      "if (!(waitMs <= LONGEST_WAIT_MS)) {",
      "if (waitMs < -LONGEST_WAIT_MS) {",
    ),
    tests: ["src/cluster/shared-budget.test.ts"],
  },
  {
    name: "guard: news that somebody kept are bought again",
    patches: swap(
      "src/feed/publish/fan-out.ts",
      "const isLate = nowMs - entry.seen.seenAtMs > WISHED_WITHIN_MS;",
      "const isLate = nowMs - entry.seen.seenAtMs > WISHED_WITHIN_MS * 1_000;",
    ),
    tests: ["src/feed/publish/fan-out.test.ts"],
  },
  {
    name: "guard: a cursor years ahead is accepted",
    patches: swap(
      "src/cluster/stream-cursors.ts",
      "return Number(cursor) <= (publishedAtMs + MAX_AHEAD_MS) * CURSORS_PER_MS ? BigInt(cursor) : null;",
      "return publishedAtMs < 0 ? null : BigInt(cursor);",
    ),
    tests: POISONED_REDIS,
    only: "has none",
    project: "cluster",
  },
  {
    name: "guard: one forged entry stops a node's reading",
    patches: swap(
      "src/cluster/stream-consumer.ts",
      "  if (isPlausible) state.position = id;\n",
      "  state.position = id;\n",
    ),
    tests: POISONED_REDIS,
    only: "arrive again",
    project: "cluster",
  },
  {
    name: "guard: one overwritten key blocks a person",
    patches: swap("src/cluster/shared-pace.ts", "if not (paid <= now + queue + 1) then paid = 0 end\n", ""),
    tests: POISONED_REDIS,
    only: "(1e300)",
    project: "cluster",
  },
  {
    name: "guard: the socket library reads without a pause",
    patches: swap("src/cluster/socket-adapter.ts", "        await sleep(clock, READ_AGAIN_MS);\n", ""),
    tests: POISONED_REDIS,
    only: "does not read faster",
    project: "cluster",
  },
];
