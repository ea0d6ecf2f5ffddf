import { BESIDE, bugsIn, type Mutant } from "./mutant.ts";

const EDGE = ["src/http/edge.test.ts", "src/http/paces.test.ts"];
const SOCKET = ["src/realtime/socket-server.test.ts", "src/realtime/socket-ends.test.ts"];

/** Removes guards, named after requirements of docs/security.md (`npm run security -- guards`). */
export const guards: readonly Mutant[] = [
  ...bugsIn("src/auth/oauth.ts", BESIDE, [
    ["guard: S1 the state of a sign-in is not compared", "|| !isSameText(state, pending.state)", ""],
    [
      "guard: S1 a state works twice",
      'if (!usedStates.take(pending.state, nowMs)) return { kind: "refused", reason: "replayed" }',
      "usedStates.take(pending.state, nowMs)",
    ],
  ]),
  ...bugsIn("src/auth/provider-calls.ts", { tests: ["src/auth/oauth.test.ts"] }, [
    ["guard: S1 a redirect of the provider is an answer", " || (status >= 300 && status < 400)", ""],
  ]),
  ...bugsIn("src/auth/sessions.ts", BESIDE, [
    [
      "guard: S3 the store keeps what opens a session",
      'return asSessionId(createHash("sha256").update(secret).digest("hex")',
      "void createHash;\n  return asSessionId(secret",
    ],
    [
      "guard: S3 the old session survives a new sign-in",
      "if (replaced !== undefined) await end(deps, replaced, userId);",
      "",
    ],
    ["guard: S4 the session's cookie is sent along by other sites' links", 'secret, "Strict', 'secret, "Lax'],
    ["guard: S5 an idle session lives on", "nowMs - session.lastSeenAtMs >= SESSION_IDLE_MS || ", ""],
    [
      "guard: S6 level 0 may use the panel",
      'access === "signed_in" || visitor.level >',
      "visitor.level >=",
      { tests: ["src/http/route-matrix.test.ts"] },
    ],
  ]),
  ...bugsIn("src/http/plugins/admission.ts", { tests: EDGE }, [
    ["guard: S7 no call asks where it comes from", "isOwnRequest(request.headers", "isOwnRequest({}"],
    [
      "guard: S7 a call under any Host is answered",
      'isPage || !local.startsWith("/")) throw new Refusal(421, TEXTS.foreignHost)',
      "isPage) return",
    ],
    [
      "guard: S24 answers of the API are kept by caches",
      'if (isApiPath(path)) void reply.header("cache-control", "no-store")',
      "void isApiPath",
    ],
    [
      "guard: S16 each address of an IPv6 subscriber counts for itself, for calls",
      "`address ${name}`, share",
      "`address ${name + request.ip}`, share",
      { tests: ["src/http/address-limits.test.ts"] },
    ],
    [
      "guard: S16 an address holds any number of connections",
      ">= MAX_PER_ADDRESS * share)",
      ">= MAX_PER_ADDRESS * share * 1_000)",
      { tests: ["src/http/connections.test.ts"] },
    ],
  ]),
  ...bugsIn("src/auth/origin-guard.ts", BESIDE, [
    [
      "guard: S7 any Origin is ours",
      "| origin === new URL(publicUrl).origin",
      "| new URL(publicUrl).origin.length > 0",
    ],
    [
      "guard: S7 an old browser's image on another port of this site may act",
      "& comesFromNowhereElse(headers",
      "& comesFromNowhereElse({}",
    ],
    [
      "guard: S8 an image of our own page may act",
      'isOneOf(headers["sec-fetch-mode"], ["cors", "same-origin"]) &&',
      "",
    ],
  ]),
  ...bugsIn("src/auth/networks.ts", BESIDE, [
    [
      "guard: S31 plain HTTP is believed from anybody",
      "if (!isKnown(plainAddress(socket.remoteAddress))) return false",
      "void isKnown;\n    void plainAddress(socket.remoteAddress)",
    ],
  ]),
  ...bugsIn("src/store/market/filter-rows.ts", { tests: ["src/store/store.test.ts"], only: "filters" }, [
    [
      "guard: S13 somebody else's filter is found by its id",
      "and(eq(filters.userId, userId), eq(filters.id, id))",
      "and(eq(filters.id, id), sql`${userId}::text is not null`)",
    ],
  ]),
  ...bugsIn("src/realtime/connection-guard.ts", { tests: SOCKET }, [
    [
      "guard: S10 a sid is enough to speak in somebody else's connection",
      "facts.known.sessionId !== sessionIdOf(headers.cookie)",
      "headers.cookie === undefined",
    ],
    ["guard: S10 a socket may be opened from any page", "isOwnRequest(headers", "isOwnRequest({}"],
    [
      "guard: S36 an upgrade by POST ends the process",
      '(method !== "POST" || isUpgrade)',
      'method !== "POST"',
      { tests: ["verify/security/reset-connections.test.ts"], project: "security" },
    ],
  ]),
  ...bugsIn("src/realtime/admission.ts", { tests: SOCKET }, [
    [
      "guard: S11 a person may open any number of sockets",
      "if (places.size + takenElsewhere >= this.#maxPerUser) return false;",
      "",
    ],
  ]),
  ...bugsIn("src/realtime/connection-limits.ts", { tests: SOCKET, only: "256 KB of news" }, [
    [
      "guard: S11 whatever waits for a client is held",
      "if (waitingBytes + leavingBytes > MAX_QUEUED_BYTES) onOverflow()",
      "void onOverflow",
    ],
    [
      "guard: S11 a flood is listened to for ever",
      "if (!pace.take(deps.clock.nowMs())) deps.cut(connection",
      "pace.take(deps.clock.nowMs()",
      { tests: SOCKET },
    ],
  ]),
  ...bugsIn("src/http/rate-limits.ts", BESIDE, [
    ["guard: S15 nobody calls too often", "if (waitMs > 1e-6) return waitMs;", ""],
  ]),
  ...bugsIn("src/http/routes/vinted.ts", { tests: ["src/http/vinted-settings.test.ts"] }, [
    [
      "guard: S17 a restart forgets how often the token was shown",
      "if (config.areRateLimitsOn) await refuseTooManyShows(user.id)",
      "void refuseTooManyShows;\n      void config",
    ],
  ]),
  ...bugsIn("src/marketplace/read-answer.ts", BESIDE, [
    [
      "guard: S27 the marketplace may silence us for years",
      "min(atMs - nowMs, MAX_RETRY_AFTER_MS",
      "max(atMs - nowMs, 0",
    ],
  ]),
  ...bugsIn("src/realtime/person-events.ts", { tests: SOCKET, only: "names a bank" }, [
    [
      "guard: S26 the socket names a bank's page on any host",
      "presentAchat(purchase, marketUrl",
      "presentAchat(purchase, URL.parse(purchase.confirmUrl ?? '')?.origin ?? ''",
    ],
  ]),
  ...bugsIn(
    "src/cluster/group-consumer.ts",
    { tests: ["src/cluster/group-consumer.cluster.test.ts"], project: "cluster" },
    [
      [
        "guard: nodes a message that always fails is delivered without end",
        "< MAX_DELIVERIES) this.#take",
        ">= 0) this.#take",
      ],
    ],
  ),
  ...bugsIn("src/sandbox/control/control-api.ts", { tests: ["src/sandbox/control/control.test.ts"] }, [
    [
      "guard: S29 a page whose name leads here controls the sandbox",
      "!LOOPBACK_NAME.test(headers.host",
      "LOOPBACK_NAME.test(''",
    ],
  ]),
  ...bugsIn("src/server/metrics/metrics-server.ts", BESIDE, [
    [
      "guard: S29 a page whose name leads here reads the metrics",
      "!isForThisMachineAlone && isOfPrivateNetwork",
      "isOfPrivateNetwork || hostname !== ''",
    ],
  ]),
  ...bugsIn("src/presenters/parametres.ts", BESIDE, [
    ["guard: S17 the token is answered without its mask", "TOKEN_MASK + account", "account"],
  ]),
  ...bugsIn("src/store/vault/keys.ts", BESIDE, [
    [
      "guard: S19 a restored key file stays readable for others",
      "chmodSync(file, 0o600);",
      "void chmodSync;",
    ],
    [
      "guard: S32 a backup replaces what lies under its path",
      "writePrivately(path, content, linkSync",
      "writePrivately(path, content, renameSync",
      { tests: ["src/store/engines/embedded.test.ts"], only: "a backup" },
    ],
  ]),
  ...bugsIn("src/server/log.ts", BESIDE, [
    ["guard: S20 the log takes any field", "return ALLOWED_FIELDS", "return name !== '' || ALLOWED_FIELDS"],
  ]),
  ...bugsIn("src/domain/log.ts", BESIDE, [
    [
      "guard: S20 the log quotes an error's message",
      "errorName: chain.map((one) => one.name",
      "errorName: chain.map((one) => one.message",
    ],
  ]),
  ...bugsIn("src/store/audit.ts", { tests: ["src/store/store.test.ts"], only: "oldest entries" }, [
    [
      "guard: S21 the audit chain's beginning may be moved",
      'if (anchor === null) return { kind: "broken", position: 0 };\n  let previous = anchor',
      "let previous = anchor ?? { position: 0, hash: FIRST_HASH }",
    ],
  ]),
  ...bugsIn("src/http/plugins/security-headers.ts", { tests: ["src/http/web.test.ts"] }, [
    [
      "guard: S23 a page may run scripts that stand in it",
      "\"script-src 'self'\",",
      "\"script-src 'self' 'unsafe-inline'\",",
    ],
    [
      "guard: S25 any page may read answers",
      'options": "nosniff",',
      'options": "nosniff",\n  "access-control-allow-origin": "*",',
      { tests: EDGE },
    ],
  ]),
  ...bugsIn("src/http/app.ts", { tests: EDGE }, [
    ["guard: S12 a body may be of any type", "app.removeAllContentTypeParsers();", ""],
    [
      "guard: S12 a body may be of any size",
      "MAX_BODY_BYTES = 64 * 1024",
      "MAX_BODY_BYTES = 64 * 1024 * 1024",
    ],
    [
      "guard: S16 one person's whole lists are made all at once",
      "takeTurns(app);",
      "void takeTurns;",
      { only: "limits of pace" },
    ],
    ["guard: S29 a HEAD runs what a GET does", "exposeHeadRoutes: false", "exposeHeadRoutes: true"],
    [
      "guard: S28 an answer waits for its reader for ever",
      ": STANDSTILL_MS",
      ": STANDSTILL_MS * 0",
      { tests: ["src/http/connections.test.ts"], only: "reads nothing" },
    ],
  ]),
  ...bugsIn("src/presenters/market-links.ts", BESIDE, [
    ["guard: S26 a listing's path may lead to another host", '.replace(LEADING_SLASHES, "")', ""],
    [
      "guard: S26 money is confirmed on any page",
      ".some((origin) => url.startsWith(`${origin}/`))",
      ".length > 0",
    ],
  ]),
  ...bugsIn(
    "src/store/purchases/buying-accounts.ts",
    { tests: ["src/store/store.test.ts"], only: "after an erasure" },
    [
      [
        "guard: S35 the books are written for who was erased",
        "return person !== undefined;",
        "return person !== null;",
      ],
    ],
  ),
  ...bugsIn("src/server/erase-person.ts", BESIDE, [
    [
      "guard: S35 who is suspended leaves and comes back clean",
      "isStopped || user?.isSuspended === true",
      "isStopped",
    ],
  ]),
  ...bugsIn("src/store/people/users.ts", { tests: ["src/store/store.test.ts"], only: "users" }, [
    ["guard: S2 a person is whoever has the login", "\\n${providerId", "\\n${providerId.slice(0, 0)"],
  ]),
  ...bugsIn("src/realtime/socket-server.ts", { tests: SOCKET }, [
    [
      "guard: S36 a connection that is reset while it upgrades ends the process",
      'wire.on("error", () => wire.destroy())',
      "wire",
      { tests: ["verify/security/reset-connections.test.ts"], project: "security" },
    ],
    [
      "guard: S6 who lost the plan goes on listening",
      'if (event.kind === "user_changed") await accountChanged(event.userId, room)',
      "void accountChanged",
    ],
    [
      "guard: S11 a connection may ask for its place for ever",
      "entryCount > MAX_ENTRIES",
      "entryCount > MAX_ENTRIES * 1_000",
      { only: "is disconnected after two look-ups" },
    ],
  ]),
  ...bugsIn("src/store/purchases/purchases.ts", { tests: ["src/http/purchases.test.ts"] }, [
    [
      "guard: S9 purchases that live are hidden",
      "isOver,",
      'inArray(purchases.state, ["cancelled", "failed", "confirmed", "awaiting"]),',
    ],
  ]),
  ...bugsIn("src/purchasing/decide/admit.ts", BESIDE, [
    [
      "guard: S14 somebody has the same listing twice",
      'if (own !== undefined && !isOver(own.state)) return refuse({ kind: "already_bought", own });',
      "",
    ],
    [
      "guard: S14 any number of purchases wait for a person's bank",
      "awaitingCount >= MAX_AWAITING",
      "awaitingCount > 10 * MAX_AWAITING",
    ],
  ]),
  ...bugsIn(
    "src/alerts/delivery.ts",
    { tests: ["src/alerts/delivery.test.ts"], only: "no more until it is saved again" },
    [
      [
        "guard: S27 an address that is gone is called for ever",
        "isOutcomeKnown: true, isDestinationLost: true",
        "isOutcomeKnown: true, isDestinationLost: false",
      ],
    ],
  ),
  ...bugsIn(
    "src/purchasing/account/account-sessions.ts",
    { tests: ["src/purchasing/account/account-calls.test.ts"] },
    [
      ["guard: S15 the latest of several waits shortens the others", "(pausedUntilMs.get(userId) ?? 0)", "0"],
      [
        "guard: S15 a wait that the marketplace asked an earlier process for is not heeded",
        "pause(userId, askedToWaitUntilMs);",
        "void askedToWaitUntilMs;",
      ],
    ],
  ),
  ...bugsIn(
    "src/store/market/filters.ts",
    { tests: ["src/http/filtres.test.ts"], only: "no more choices together" },
    [
      [
        "guard: S16 filters that are saved at the same time are not counted together",
        "return others +",
        "return others >= 0 &&",
      ],
    ],
  ),
  ...bugsIn("src/marketplace/http-marketplace.ts", BESIDE, [
    [
      "guard: S27 what became of another order counts for ours",
      'if (answered.id !== transactionId) throw new MarketplaceError("unreadable")',
      "void transactionId",
    ],
    [
      "guard: S27 a quote for something else than was chosen is paid",
      'if (!confirmsChoices(checkout, { ...choices, checkoutId })) throw new MarketplaceError("unreadable")',
      "void confirmsChoices",
    ],
  ]),
  ...bugsIn("src/auth/sign-in.ts", BESIDE, [
    ["guard: S21 a stranger fills the audit log", "= REFUSALS_ON_RECORD", "= REFUSALS_ON_RECORD * 1_000"],
  ]),
  ...bugsIn("src/http/plugins/failures.ts", { tests: EDGE }, [
    [
      "guard: S22 a failure is told in its own words",
      "new Refusal(500, internalErrorText",
      "new Refusal(500, error instanceof Error ? error.message : internalErrorText",
    ],
  ]),
  ...bugsIn("src/marketplace/exchange.ts", BESIDE, [
    [
      "guard: S28 the marketplace's answer may be of any size",
      'if (byteCount > MAX_ANSWER_BYTES) throw new MarketplaceError("unreadable")',
      "void MAX_ANSWER_BYTES",
    ],
  ]),
  ...bugsIn(
    "src/server/operator/operator-socket.ts",
    { tests: ["src/cli/operator.test.ts"], only: "system user" },
    [
      [
        "guard: S32 any system user commands the product",
        "await chmod(path, 0o600);",
        "await chmod(path, 0o666);",
      ],
    ],
  ),
  ...bugsIn("src/store/people/sessions.ts", { tests: ["src/store/store.test.ts"], only: "sessions" }, [
    ["guard: S33 idle sessions stay for ever", "lastSeenAtMs, idleBeforeMs), lt(sessions.", ""],
  ]),
  ...bugsIn(
    "src/server/operator/personal-data.ts",
    { tests: ["src/cli/operator.test.ts"], only: "export holds" },
    [
      [
        "guard: S34 an export leaves filters out",
        "filters.ofUser(user.id)).",
        "filters.ofUser(user.id)).slice(0, 0).",
      ],
    ],
  ),
  ...bugsIn(
    "src/purchasing/account/breaker.ts",
    { tests: ["src/purchasing/account/stops.test.ts"], only: "breakers" },
    [
      [
        "guard: S15 what one account alone is answered stops everybody",
        'code === "unreachable" ? undefined : account',
        "account === undefined ? account : undefined",
      ],
    ],
  ),
  ...bugsIn(
    "src/purchasing/queue/wishes.ts",
    { tests: ["src/purchasing/engine.test.ts"], only: "could not pay three in a row" },
    [
      [
        "guard: S15 who cannot pay tries every listing",
        "isResting(wish.userId)",
        'isResting(wish.userId) && wish.lane === "acquire"',
      ],
    ],
  ),
  ...bugsIn(
    "src/store/vault/vault.ts",
    { tests: ["src/store/vault/key-rotation.postgres.test.ts"], project: "postgres" },
    [
      [
        "guard: S19 a new master key seals before every node has it",
        "keyOf(row.sealedValue, indexKeyCell)",
        "primary",
      ],
      ["guard: S19 a rotation passes by whoever signs up meanwhile", ').for("share")', ")"],
    ],
  ),
  ...bugsIn("src/server/move.ts", BESIDE, [
    [
      "guard: S19 a database's password is taken from the command line",
      '!== undefined && (URL.parse(given)?.password ?? "") !',
      "=",
    ],
  ]),
  ...bugsIn("src/cli/main.ts", { tests: ["src/cli/operator.test.ts"], only: "commands no terminal" }, [
    [
      "guard: S32 a seller's words command the operator's terminal",
      "replaceAll(/[^\\P{C}\\n]",
      "replaceAll(/\\u0000",
    ],
  ]),
  ...bugsIn("src/feed/publish/fan-out.ts", BESIDE, [
    [
      "guard: nodes news that somebody kept are bought again",
      "> WISHED_WITHIN_MS",
      "> WISHED_WITHIN_MS * 1_000",
    ],
  ]),
  {
    name: "guard: S31 any certificate is the marketplace's",
    patches: [
      {
        file: "src/marketplace/exchange.ts",
        find: "connect: { timeout: CONNECT_TIMEOUT_MS },",
        replace: "connect: { timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: false },",
      },
      {
        file: "src/marketplace/exchange.ts",
        find: "buildConnector({ timeout: CONNECT_TIMEOUT_MS });",
        replace: "buildConnector({ timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: false });",
      },
    ],
    tests: ["src/marketplace/certificates.test.ts"],
  },
  {
    name: "guard: S18 a sealed value opens in any row",
    patches: [
      { file: "src/store/vault/sealing.ts", find: "    cipher.setAAD(boundTo(cell));\n", replace: "" },
      { file: "src/store/vault/sealing.ts", find: "    decipher.setAAD(boundTo(cell));\n", replace: "" },
    ],
    tests: ["src/store/vault/sealing.test.ts"],
  },
  {
    name: "guard: S19 new keys are written into what somebody prepared",
    patches: [
      {
        file: "src/store/vault/keys.ts",
        find: '`${path}.${randomBytes(12).toString("hex")}.unfinished`',
        replace: "`${path}.unfinished`",
      },
      {
        file: "src/store/vault/keys.ts",
        find: 'openSync(temporary, "wx", 0o600)',
        replace: 'openSync(temporary, "w", 0o600)',
      },
    ],
    tests: ["src/store/vault/keys.test.ts"],
  },
];
