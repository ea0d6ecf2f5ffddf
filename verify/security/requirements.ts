/**
 * The requirements of docs/security.md with the tests that prove them, by file and part of the title. Guards
 * are named after them (verify/mutants/guards.ts). "nodes" stands for the requirements between nodes.
 */
export const requirements: Readonly<Record<string, readonly string[]>> = {
  S1: [
    "src/auth/oauth.test.ts: begin() sends the person to the provider with exactly the two scopes, state and a PKCE challenge",
    "verify/security/session.test.ts: callback: ",
  ],
  S2: [
    "src/http/sign-in.test.ts: accounts are identified by the provider's id, not by e-mail or name",
    "src/auth/oauth.test.ts: an e-mail that the provider did not verify is not kept",
  ],
  S3: [
    "src/auth/sessions.test.ts: the store holds nothing that opens a session",
    "verify/security/session.test.ts: fixation: a planted session is not adopted",
  ],
  S4: [
    "verify/security/session.test.ts: cookie: its attributes are those of a __Host- cookie, and Strict",
    "src/http/web.test.ts: pages are identical for every person",
    "verify/security/crawler.test.ts: every declared route, asked in every way, carries its headers",
  ],
  S5: [
    "src/auth/sessions.test.ts: a session ends after thirty days, however often it is used",
    "verify/security/authorisation.test.ts: once its person is %s",
  ],
  S6: [
    "src/http/edge.test.ts: a plan that ends shuts the panel with the next call",
    "src/realtime/socket-ends.test.ts: within a second of a change that was not published, and receives nothing after it",
  ],
  S7: [
    "src/auth/origin-guard.test.ts: isOwnRequest()",
    "verify/security/browser-attacks.test.ts: no page of somebody else changes or reads anything",
    "verify/security/old-browser-attacks.test.ts: a browser that sends no fetch metadata cannot be used for attacks either",
  ],
  S8: [
    "verify/security/browser-attacks.test.ts: no page of somebody else changes or reads anything",
    "src/http/edge.test.ts: lets a typed address read, but not act",
  ],
  S9: [
    "src/http/purchases.test.ts: only a confirmed purchase can be cancelled; hiding affects no open purchase",
  ],
  S10: [
    "src/realtime/socket-ends.test.ts: is refused without the cookie of the session that opened it",
    "verify/security/authorisation.test.ts: the connection of somebody else, named by its sid, asked by %s",
  ],
  S11: [
    "verify/security/socket-abuse.test.ts: fifty sockets that flood and never read cost little, are cut, and slow nobody else",
    "src/realtime/socket-server.test.ts: the sixth socket of a person is refused with a message until one of the five closes",
    "src/realtime/socket-server.test.ts: is disconnected after two look-ups of its session",
  ],
  S12: [
    "src/http/filtres.test.ts: fields that a body may not set are ignored: ids, owners, times, counts and any others",
    "verify/security/fuzz-calls.test.ts: any %s %s",
  ],
  S13: [
    "verify/security/authorisation.test.ts: another person's data can be neither read, changed nor distinguished from data that does not exist",
    "src/http/route-matrix.test.ts: %s, asked for by %s",
  ],
  S14: [
    "src/server/purchases.test.ts: thirty clicks at once are one purchase",
    "src/purchasing/decide/admit.test.ts: refuses for %s",
    "src/purchasing/decide/decide-unknown.test.ts: lets the operator settle it once it has waited for a day, and not before",
  ],
  S15: [
    "src/http/rate-limits.test.ts: %s allows its burst, then waits exactly as long as it says",
    "src/purchasing/account/stops.test.ts: stop nobody else while the marketplace answers a single account wrongly",
    "src/purchasing/account/breaker.test.ts: counts faults that one account alone may have caused once a minute",
    "src/purchasing/engine.test.ts: is not attempted for a person who could not pay three in a row, until they change something",
    "src/purchasing/account/breaker.test.ts: does not trip for the faults of a single account, however many they are",
    "src/purchasing/account/stops.test.ts: pause the one account whose calls fail, and stop nobody else, however often its owner clicks",
    "src/purchasing/account/account-calls.test.ts: wait for the longest Retry-After of concurrent calls",
  ],
  S16: [
    "src/http/address-limits.test.ts: an address begins or ends twenty sign-ins a minute, regardless of its forwarded headers",
    "src/http/address-limits.test.ts: behind a proxy that is trusted every address counts for itself",
    "src/http/address-limits.test.ts: all addresses of one IPv6 subscriber are one address, and IPv4 written as IPv6 is IPv4",
    "src/http/connections.test.ts: an address may hold 256 connections; the next is closed until one of them ends",
    "src/http/filtres.test.ts: all of a person's filters together name a bounded number of choices",
    "src/http/paces.test.ts: one person's whole lists are made one at a time, and do not delay others",
    "src/realtime/socket-server.test.ts: replays one person's missed matches one page at a time, and none for a closed page",
    "src/feed/publish/user-feed.test.ts: a very old cursor is answered from memory, like no cursor",
    "src/http/filtres.test.ts: however many the same moment's calls to %s are, they name no more choices together",
    "src/store/people/sessions.suite.ts: many concurrent look-ups of sessions cost a few queries",
    "src/store/engines/statements.postgres.test.ts: lists of any length use the same SQL text",
    "src/http/address-limits.test.ts: a proxy that appends each connection's port to the address hides no client",
    "src/store/people/users.suite.ts: concurrent requests for places share few counts, one after the other",
  ],
  S17: [
    "src/http/vinted-settings.test.ts: tokens shown before a restart count after it",
    "src/http/vinted-settings.test.ts: the token is shown to its owner alone, ten times an hour, and each time is on record",
  ],
  S18: [
    "src/store/vault/sealing.test.ts: opens no envelope with any one bit flipped",
    "verify/security/keys.test.ts: keys rotate under load, and open nothing in the wrong place",
  ],
  S19: [
    "src/server/main.test.ts: when the keys are missing while sealed data exist",
    "src/store/vault/keys.test.ts: get their mode back when a restored copy lost it",
    "src/store/vault/keys.test.ts: are never written through a prepared file or link, at the first start or a rotation",
    "src/store/vault/key-rotation.postgres.test.ts: nodes that restart one after the other with a new primary key can read each other's new people",
    "src/store/vault/key-rotation.postgres.test.ts: a person who signs up during a key rotation is not left under the old key",
    "src/server/move.test.ts: a database's password is not taken from the command line, where every user of the machine reads it",
  ],
  S20: [
    "src/server/log.test.ts: a field that is not allowed is named but its value is left out",
    "verify/security/leaks.test.ts: no secret leaves by the log, an answer, a frame, the store or a backup",
  ],
  S21: [
    "src/store/audit.suite.ts: a changed entry and a deleted link are detected",
    "src/server/log.test.ts: line breaks within a field or a message stay within one line",
    "src/auth/sign-in.test.ts: endless refusals fill the log of requests, not the audit log",
  ],
  S22: [
    "verify/security/failures.test.ts: no failure of the store grants access or reveals its cause",
    "src/http/edge.test.ts: an internal error is a French sentence with a number, logged without its message",
  ],
  S23: [
    "verify/security/browser-tour.test.ts: no screen breaks the policy, and no text of anybody's becomes a script",
    "verify/security/crawler.test.ts: every declared route, asked in every way, carries its headers",
  ],
  S24: [
    "verify/security/browser-tour.test.ts: after a tour the browser keeps preferences and nothing else",
    "src/http/edge.test.ts: of the API is not stored",
  ],
  S25: ["src/http/edge.test.ts: answers a preflight with no permission"],
  S26: [
    "src/presenters/market-links.test.ts: marketLink() leads to the marketplace whatever the path",
    "verify/security/browser-tour.test.ts: no screen breaks the policy, and no text of anybody's becomes a script",
    "src/realtime/socket-server.test.ts: names a bank's page on the marketplace, as the calls do, and on no other host",
    "src/http/raw-http.test.ts: an address that begins with no slash is sent nowhere: it would lengthen our host's name",
  ],
  S27: [
    "verify/security/egress.test.ts: the product opens connections to its marketplace and its sign-in provider, and to nobody else",
    "src/marketplace/exchange.test.ts: a redirect is answered, not followed",
    "src/alerts/channels/discord/discord.test.ts: any other address is rejected",
    "src/alerts/delivery.test.ts: a redirect is not followed, and no failure is logged with the address",
    "verify/security/fuzz-market.test.ts: any answer of the marketplace is a value of the agreed shape or a MarketplaceError",
    "src/marketplace/http-marketplace.test.ts: an answer about another transaction is unreadable",
    "src/marketplace/http-marketplace.test.ts: a quote for %s than was chosen is rejected",
    "src/alerts/delivery.test.ts: an address that no longer exists gets one request, and no more until it is saved again",
    "src/alerts/delivery.test.ts: receivers that hang delay nobody else",
    "src/server/alerts.test.ts: a link buys once, for its own person, at its price",
  ],
  S28: [
    "verify/security/slow-clients.test.ts: five hundred slow clients slow nobody down and are sent away",
    "src/marketplace/exchange.test.ts: silent and slow answers end at the deadline",
    "src/http/connections.test.ts: a client that reads nothing of an answer is disconnected",
  ],
  S29: [
    "verify/security/crawler.test.ts: five hundred guessed addresses lead nowhere",
    "src/http/edge.test.ts: a wrong method is 405 and names the right one",
    "src/server/metrics/metrics-server.test.ts: metrics on $host answer to this machine's names and $others, never to a name that somebody can own",
  ],
  S30: [
    "verify/security/dependencies.test.ts: every package is pinned by a hash, and comes from the registry",
    "verify/security/dependencies.test.ts: the web's files hold nothing of the server, the sandbox or a secret",
  ],
  S31: [
    "src/auth/networks.test.ts: with an https address, %s is answered: %j %s",
    "src/http/plain-http.test.ts: with an https address a plain request from another machine is refused",
    "src/marketplace/certificates.test.ts: a certificate $what is a definite failure on $where, and no byte leaves",
  ],
  S32: [
    "src/cli/operator.test.ts: is for this system user alone",
    "src/cli/operator.test.ts: show and users say who somebody is, never a secret",
    "src/cli/operator.test.ts: what people and sellers wrote commands no terminal, and JSON says the same",
  ],
  S33: [
    "src/store/audit.suite.ts: are deleted in the chain's order, and the remaining chain still verifies and can be extended",
    "src/store/people/sessions.suite.ts: pruning deletes idle and old sessions and keeps the rest",
    "src/server/upkeep.test.ts: at most a thousand of a person's simulations are kept",
    "src/purchasing/attempt/prepare-quote.test.ts: has a key that does not reveal the address and differs between processes",
    "src/purchasing/attempt/prepare-quote.test.ts: keeps the points unless there are too many of them; those are requested each time",
  ],
  S34: [
    "verify/security/personal-data.test.ts: an export is complete and holds nobody else's data; an erasure keeps the ledger",
    "src/store/purchases/many-purchases.test.ts: a person with very many purchases can be exported and erased",
    "src/server/operator/personal-data.test.ts: an export holds all that a busy year leaves in the audit log",
  ],
  S35: [
    "verify/security/personal-data.test.ts: an export is complete and holds nobody else's data; an erasure keeps the ledger",
    "src/cli/operator.test.ts: export holds all of it but the token; erase leaves none, nor a way in",
    "verify/security/erasure-races.test.ts: a person who deletes their account while buying is either erased and pays nothing, or stays and sees the purchase",
    "src/store/people/erasure.suite.ts: %s leaves no row behind",
    "src/store/purchases/many-purchases.test.ts: a person with very many purchases can be exported and erased",
    "src/server/erase-person.test.ts: a person whom the operator has %s cannot erase their account",
    "src/store/purchases/stops.suite.ts: keep their reason when the account is paused meanwhile, so that whatever set them can end them",
  ],
  S36: ["verify/security/reset-connections.test.ts: connections that are broken off at any byte end nothing"],
  nodes: [
    "src/cluster/redis.cluster.test.ts: a refused password and a Redis that does not answer give different errors, without the address",
    "src/cluster/group-consumer.cluster.test.ts: a message that always fails goes to the dead-letter stream after a few deliveries, and blocks no other",
    "src/purchasing/decide/admit.test.ts: gives the lane of the plan as it stands now",
    "src/feed/publish/fan-out.test.ts: news delivered again after more than a minute is shown but not bought",
    "src/cluster/shared-pace.test.ts: without an answer from Redis a node keeps a small share of the budget and does not stop",
  ],
};
