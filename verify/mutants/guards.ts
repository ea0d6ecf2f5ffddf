import { guardRows } from "./guard-rows.ts";
import { swap, type Mutant } from "./mutant.ts";

/** The security guards, each removed in turn (`npm run security -- guards`); verify/security/requirements.ts says what each protects. */
const ADMISSION = "src/http/plugins/admission.ts";
const ORIGIN = "src/auth/origin-guard.ts";
const SESSIONS = "src/auth/sessions.ts";
const OAUTH = "src/auth/oauth.ts";
const CONNECTION = "src/realtime/connection-guard.ts";
const SEALING = "src/store/sealing.ts";

const EDGE = ["src/http/edge.test.ts", "src/http/paces.test.ts"];
const SOCKET = ["src/realtime/socket-server.test.ts", "src/realtime/socket-ends.test.ts"];
const SESSION = ["src/auth/sessions.test.ts"];

/** S1–S10: sign-in, sessions, who may do what, from where. */
const doors: readonly Mutant[] = [
  {
    name: "guard: the state of a sign-in is not compared",
    patches: swap(OAUTH, " || !isSameText(state, pending.state))\n", ")\n"),
    tests: ["src/auth/oauth.test.ts"],
  },
  {
    name: "guard: a state works twice",
    patches: swap(
      OAUTH,
      '      if (!usedStates.take(pending.state, nowMs)) return { kind: "refused", reason: "replayed" };\n',
      "      usedStates.take(pending.state, nowMs);\n",
    ),
    tests: ["src/auth/oauth.test.ts"],
  },
  {
    name: "guard: the provider's redirects are followed",
    patches: swap("src/auth/provider-calls.ts", '      redirect: "error",\n', ""),
    tests: ["src/auth/oauth.test.ts"],
  },
  {
    name: "guard: the store keeps what opens a session",
    patches: swap(
      SESSIONS,
      'return asSessionId(createHash("sha256").update(secret).digest("hex"));',
      "void createHash;\n  return asSessionId(secret);",
    ),
    tests: SESSION,
  },
  {
    name: "guard: the old session survives a new sign-in",
    patches: swap(SESSIONS, "      if (replaced !== undefined) await end(replaced);\n", ""),
    tests: SESSION,
  },
  {
    name: "guard: the session's cookie is sent along by other sites' links",
    patches: swap(
      SESSIONS,
      'cookieText(SESSION_COOKIE, secret, "Strict",',
      'cookieText(SESSION_COOKIE, secret, "Lax",',
    ),
    tests: SESSION,
  },
  {
    name: "guard: an idle session lives on",
    patches: swap(SESSIONS, "nowMs - session.lastSeenAtMs >= SESSION_IDLE_MS || ", ""),
    tests: SESSION,
  },
  {
    name: "guard: level 0 may use the panel",
    patches: swap(
      "src/auth/access.ts",
      'if (access === "signed_in" || visitor.level > 0) return null;',
      "if (visitor.level >= 0) return null;",
    ),
    tests: ["src/http/route-matrix.test.ts"],
  },
  {
    name: "guard: no call asks where it comes from",
    patches: swap(
      ADMISSION,
      'if (rule.origin !== "any" && !isOwnRequest(request.headers, deps.config.publicUrl, rule.origin)) {',
      'if (rule.origin !== "any" && !isOwnRequest({}, deps.config.publicUrl, rule.origin)) {',
    ),
    tests: EDGE,
  },
  {
    name: "guard: any Origin is ours",
    patches: swap(
      ORIGIN,
      "return origin === undefined || origin === new URL(publicUrl).origin;",
      "return origin === undefined || new URL(publicUrl).origin.length > 0;",
    ),
    tests: ["src/auth/origin-guard.test.ts"],
  },
  {
    name: "guard: an old browser's image on another port of this site may act",
    patches: swap(
      ORIGIN,
      " && comesFromNowhereElse(headers, publicUrl)",
      " && comesFromNowhereElse({}, publicUrl)",
    ),
    tests: ["src/auth/origin-guard.test.ts"],
  },
  {
    name: "guard: an image of our own page may act",
    patches: swap(ORIGIN, '    isOneOf(headers["sec-fetch-mode"], ["cors", "same-origin"]) &&\n', ""),
    tests: ["src/auth/origin-guard.test.ts"],
  },
  {
    name: "guard: plain HTTP is believed from anybody",
    patches: swap(
      "src/auth/plain-http.ts",
      "    if (!isKnown(plainAddress(socket.remoteAddress))) return false;\n",
      "    void isKnown;\n    void plainAddress(socket.remoteAddress);\n",
    ),
    tests: ["src/auth/plain-http.test.ts"],
  },
  {
    name: "guard: a call under any Host is answered",
    patches: swap(
      ADMISSION,
      '  if (!isPage || !local.startsWith("/")) throw new Refusal(421, TEXTS.foreignHost);\n',
      "  if (!isPage) return;\n",
    ),
    tests: EDGE,
  },
  {
    name: "guard: somebody else's filter is found by its id",
    patches: swap(
      "src/store/filters.ts",
      '.where(and(eq(filters.userId, slot("userId")), eq(filters.id, slot("id")))),',
      '.where(eq(filters.id, slot("id"))),',
    ),
    tests: ["src/store/store.test.ts"],
    only: "filters",
  },
];

/** S10, S11, S16: sockets and pace. */
const floods: readonly Mutant[] = [
  {
    name: "guard: a sid is enough to speak in somebody else's connection",
    patches: swap(
      CONNECTION,
      "facts.known !== undefined && facts.known.sessionId !== sessionIdOf(headers.cookie);",
      "facts.known !== undefined && headers.cookie === undefined;",
    ),
    tests: SOCKET,
  },
  {
    name: "guard: a socket may be opened from any page",
    patches: swap(
      CONNECTION,
      'return isForeignSession || !isOwnRequest(headers, facts.publicUrl, "read")',
      'return isForeignSession || !isOwnRequest({}, facts.publicUrl, "read")',
    ),
    tests: SOCKET,
  },
  {
    name: "guard: a person may open any number of sockets",
    patches: swap(
      "src/realtime/people.ts",
      "    if (places.size + takenElsewhere >= this.#maxPerUser) return false;\n",
      "",
    ),
    tests: SOCKET,
  },
  {
    name: "guard: whatever waits for a client is held",
    patches: swap(
      "src/realtime/outbound-queue.ts",
      "    if (waitingBytes + leavingBytes > MAX_QUEUED_BYTES) onOverflow();\n",
      "    void onOverflow;\n",
    ),
    tests: SOCKET,
    only: "256 KB of news",
  },
  {
    name: "guard: a flood is listened to for ever",
    patches: swap(
      "src/realtime/flood-watch.ts",
      "      if (!pace.take(deps.clock.nowMs())) deps.cut(connection);\n",
      "      pace.take(deps.clock.nowMs());\n",
    ),
    tests: SOCKET,
  },
  {
    name: "guard: nobody calls too often",
    patches: swap("src/http/rate-limits.ts", "      if (waitMs > 1e-6) return waitMs;\n", ""),
    tests: ["src/http/rate-limits.test.ts"],
  },
  {
    name: "guard: each address of an IPv6 subscriber counts for itself, for calls",
    patches: swap(ADMISSION, "`address ${name}`, share", "`address ${name + request.ip}`, share"),
    tests: ["src/http/address-limits.test.ts"],
  },
  {
    name: "guard: each address of an IPv6 subscriber counts for itself, for sockets",
    patches: swap(
      "src/realtime/handshake-pace.ts",
      "networksOf(address).every((network) => paceOf(network)",
      "networksOf(address).every((network) => paceOf({ ...network, name: network.name + address })",
    ),
    tests: ["src/realtime/handshake-pace.test.ts"],
  },
  {
    name: "guard: a restart forgets how often the token was shown",
    patches: swap(
      "src/http/routes/vinted.ts",
      "      if (config.areRateLimitsOn) await refuseTooManyShows(user.id);\n",
      "      void refuseTooManyShows;\n      void config;\n",
    ),
    tests: ["src/http/vinted-settings.test.ts"],
  },
];

/** What the marketplace may make of us. */
const answers: readonly Mutant[] = [
  {
    name: "guard: the marketplace may silence us for years",
    patches: swap(
      "src/marketplace/read-answer.ts",
      "Math.min(atMs - nowMs, MAX_RETRY_AFTER_MS)",
      "Math.max(atMs - nowMs, 0)",
    ),
    tests: ["src/marketplace/read-answer.test.ts"],
  },
  {
    name: "guard: any certificate is the marketplace's",
    patches: [
      ...swap(
        "src/marketplace/exchange.ts",
        "connect: { timeout: CONNECT_TIMEOUT_MS },",
        "connect: { timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: false },",
      ),
      ...swap(
        "src/marketplace/exchange.ts",
        "buildConnector({ timeout: CONNECT_TIMEOUT_MS });",
        "buildConnector({ timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: false });",
      ),
    ],
    tests: ["src/marketplace/certificates.test.ts"],
  },
  {
    name: "guard: the socket names a bank's page on any host",
    patches: swap(
      "src/realtime/purchase-data.ts",
      "presentAchat(purchase, marketUrl, confirmationHosts)",
      "presentAchat(purchase, marketUrl, [...confirmationHosts, URL.parse(purchase.confirmUrl ?? '')?.host ?? ''])",
    ),
    tests: SOCKET,
    only: "names a bank",
  },
  {
    name: "guard: a token's life has no end",
    patches: swap(
      "src/marketplace/http-marketplace.ts",
      "Math.min(Math.max(seconds, 0), MAX_LIFETIME_S)",
      "Math.max(seconds, MAX_LIFETIME_S - MAX_LIFETIME_S)",
    ),
    tests: ["src/marketplace/http-marketplace.test.ts"],
  },
  {
    name: "guard: texts of an order have no bound",
    patches: swap("src/marketplace/wire.ts", "(text) => text.slice(0, 500)", "(text) => text"),
    tests: ["src/marketplace/http-marketplace.test.ts"],
    only: "without losing the order",
  },
];

/** Between nodes, and towards this machine's own pages. */
const neighbours: readonly Mutant[] = [
  {
    name: "guard: signatures are not compared",
    patches: swap(
      "src/cluster/signatures.ts",
      "        timingSafeEqual(given, signature(topic, message));",
      "        timingSafeEqual(given, given);",
    ),
    tests: ["src/cluster/signatures.test.ts"],
  },
  {
    name: "guard: a signature is valid on every topic",
    patches: swap(
      "src/cluster/signatures.ts",
      ".update(`${topic}\\n`)",
      ".update(`${topic.slice(0, 0)}\\n`)",
    ),
    tests: ["src/cluster/signatures.test.ts"],
  },
  {
    name: "guard: forged wishes are handled",
    patches: swap(
      "src/cluster/bus.ts",
      "        if (message !== null) await consumer.handle(message);",
      '        await consumer.handle(message ?? signed.replace(/^[\\w-]{43} /, ""));',
    ),
    tests: ["src/server/hostile-redis.cluster.test.ts"],
    project: "cluster",
  },
  {
    name: "guard: the socket library accepts any message in Redis",
    patches: swap(
      "src/cluster/socket-adapter.ts",
      "if (isOneOfOurs(message))",
      "if (isOneOfOurs(message) || message)",
    ),
    tests: ["src/server/hostile-redis.cluster.test.ts"],
    project: "cluster",
    only: "socket library",
  },
  {
    name: "guard: a page whose name leads here controls the sandbox",
    patches: swap(
      "src/sandbox/control/control-api.ts",
      "!LOOPBACK_NAME.test(headers.host)",
      "LOOPBACK_NAME.test('')",
    ),
    tests: ["src/sandbox/control/control.test.ts"],
  },
  {
    name: "guard: a page whose name leads here reads the metrics",
    patches: swap(
      "src/server/metrics/metrics-server.ts",
      "  return !isForThisMachineAlone && isOfPrivateNetwork;",
      "  return isOfPrivateNetwork || hostname !== '';",
    ),
    tests: ["src/server/metrics/metrics-server.test.ts"],
  },
];

/** S17–S27: secrets, logs, what a browser may do. */
const secrets: readonly Mutant[] = [
  {
    name: "guard: the token is answered without its mask",
    patches: swap("src/presenters/parametres.ts", "TOKEN_MASK + account.tokenTail;", "account.tokenTail;"),
    tests: ["src/presenters/parametres.test.ts"],
  },
  {
    name: "guard: a sealed value opens in any row",
    patches: [
      ...swap(SEALING, "    cipher.setAAD(boundTo(cell));\n", ""),
      ...swap(SEALING, "    decipher.setAAD(boundTo(cell));\n", ""),
    ],
    tests: ["src/store/sealing.test.ts"],
  },
  {
    name: "guard: a restored key file stays readable for others",
    patches: swap("src/store/keys.ts", "  chmodSync(file, 0o600);\n", "  void chmodSync;\n"),
    tests: ["src/store/keys.test.ts"],
  },
  {
    name: "guard: the log takes any field",
    patches: swap(
      "src/server/log.ts",
      "  return ALLOWED_FIELDS.has(name);",
      "  return name !== '' || ALLOWED_FIELDS.has(name);",
    ),
    tests: ["src/server/log.test.ts"],
  },
  {
    name: "guard: the log quotes an error's message",
    patches: swap(
      "src/domain/error-fields.ts",
      'errorName: chain.map((one) => one.name).join(" < ") || typeof error,',
      'errorName: chain.map((one) => one.message).join(" < ") || typeof error,',
    ),
    tests: ["src/domain/error-fields.test.ts"],
  },
  {
    name: "guard: the audit chain's beginning may be moved",
    patches: swap(
      "src/store/audit-chain.ts",
      '  if (anchor === null) return { kind: "broken", position: 0 };\n  let previous = anchor;',
      "  let previous = anchor ?? { position: 0, hash: FIRST_HASH };",
    ),
    tests: ["src/store/store.test.ts"],
    only: "oldest entries",
  },
  {
    name: "guard: a page may run scripts that stand in it",
    patches: swap(
      "src/http/plugins/security-headers.ts",
      "\"script-src 'self'\",",
      "\"script-src 'self' 'unsafe-inline'\",",
    ),
    tests: ["src/http/web.test.ts"],
  },
  {
    name: "guard: answers of the API are kept by caches",
    patches: swap(
      ADMISSION,
      '    if (isApiPath(path)) void reply.header("cache-control", "no-store");\n',
      "    void isApiPath;\n",
    ),
    tests: EDGE,
  },
  {
    name: "guard: a body may be of any type",
    patches: swap("src/http/plugins/json-bodies.ts", "  app.removeAllContentTypeParsers();\n", ""),
    tests: EDGE,
  },
  {
    name: "guard: a listing's path may lead to another host",
    patches: swap("src/presenters/market-links.ts", '.replace(LEADING_SLASHES, "")', ""),
    tests: ["src/presenters/market-links.test.ts"],
  },
  {
    name: "guard: money is confirmed on any page",
    patches: swap(
      "src/presenters/market-links.ts",
      "return prefixes.some((prefix) => url.startsWith(`${prefix}/`)) ? url : null;",
      "return prefixes.length > 0 ? url : null;",
    ),
    tests: ["src/presenters/market-links.test.ts"],
  },
];

/** S35: the end of an account. */
const endings: readonly Mutant[] = [
  {
    name: "guard: the books are written for who was erased",
    patches: swap(
      "src/store/purchases-erasure.ts",
      "return person !== undefined;",
      "return person !== null;",
    ),
    tests: ["src/store/store.test.ts"],
    only: "after an erasure",
  },
  {
    name: "guard: who may not leave yet is locked out",
    patches: swap("src/server/erase-person.ts", "  await purchases.endAccountStop(user.id, ERASURE);\n", ""),
    tests: ["src/server/erase-person.test.ts"],
  },
  {
    name: "guard: who is suspended leaves and comes back clean",
    patches: swap(
      "src/server/erase-person.ts",
      "return isStopped || user?.isSuspended === true;",
      "return isStopped;",
    ),
    tests: ["src/server/erase-person.test.ts"],
  },
  {
    name: "guard: a backup replaces what lies under its path",
    patches: swap(
      "src/store/private-file.ts",
      "writePrivately(path, content, linkSync);",
      "writePrivately(path, content, renameSync);",
    ),
    tests: ["src/store/engines/embedded.test.ts"],
    only: "a backup",
  },
];

export const guards: readonly Mutant[] = [
  ...doors,
  ...floods,
  ...answers,
  ...neighbours,
  ...secrets,
  ...endings,
  ...guardRows,
];
