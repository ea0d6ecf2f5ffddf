/** Turns every failure into an answer: a status and a French sentence, without the cause. */
import { readFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { MAX_FILE_BYTES } from "#contract/bounds.ts";
import type { RefusalCode } from "#contract/envelope.ts";
import { routes } from "#contract/routes.ts";
import { describeError } from "#domain/log.ts";
import { eur } from "#domain/money.ts";
import { isApiPath, isFilterPath, pathOf } from "../addresses.ts";
import type { HttpDeps } from "../http-deps.ts";
import { fieldOf, issueText } from "../issue-texts.ts";
import { internalErrorText, Refusal, TEXTS } from "../refusal.ts";
import type { App, RouteRule } from "../route-rule.ts";
import { freshNonce, pagePolicy, setSecurityHeaders } from "./security-headers.ts";

/** Not part of the built web, since it must exist without it. */
const BARE_PAGE = readFileSync(join(import.meta.dirname, "bare-page.html"), "utf8");

interface PageTexts {
  readonly status: number;
  readonly title: string;
  readonly head: string;
  readonly content: string;
}

const NOT_FOUND_PAGE: PageTexts = {
  status: 404,
  title: "Page introuvable",
  head: "",
  content: `<p>Cette page n'existe pas ou n'existe plus.</p><a href="/">Retour à l'accueil</a>`,
};

/** Loads itself again until the product serves pages. */
const STARTING_PAGE: PageTexts = {
  status: 503,
  title: "Synapse démarre",
  head: '<meta http-equiv="refresh" content="3" />',
  content: "<p>La page s'ouvre d'elle-même dans quelques instants.</p>",
};

export function answerFailures(app: App, deps: HttpDeps, declared: DeclaredRoutes): void {
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error, request);
    if (refusal?.details.code === "demarrage" && wantsPage(request)) return sendPage(reply, STARTING_PAGE);
    if (refusal !== null) return sendRefusal(request, reply, refusal);
    deps.log.error(
      { requestId: request.id, route: request.routeOptions.url ?? "", ...describeError(error) },
      "a request failed",
    );
    return sendRefusal(
      request,
      reply,
      deps.isStoreAway(error)
        ? new Refusal(503, TEXTS.storeAway)
        : new Refusal(500, internalErrorText(request.id)),
    );
  });

  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url);
    const allowed = allowedMethods(declared, path);
    if (allowed.length > 0) {
      const headers = { allow: allowed.join(", ") };
      return sendRefusal(request, reply, new Refusal(405, TEXTS.methodNotAllowed, { headers }));
    }
    return wantsPage(request)
      ? sendPage(reply, NOT_FOUND_PAGE)
      : sendRefusal(request, reply, new Refusal(404, TEXTS.notFound));
  });

  function sendPage(reply: FastifyReply, { status, title, head, content }: PageTexts): FastifyReply {
    const nonce = freshNonce();
    return reply
      .code(status)
      .headers({ "cache-control": "no-store", "content-security-policy": pagePolicy(deps.config, nonce) })
      .type("text/html; charset=utf-8")
      .send(
        BARE_PAGE.replaceAll("__CSP_NONCE__", nonce)
          .replace("__HEAD__", head)
          .replaceAll("__TITLE__", title)
          .replace("__CONTENT__", content),
      );
  }
}

function wantsPage({ method, headers, url }: FastifyRequest): boolean {
  return method === "GET" && (headers.accept ?? "").includes("text/html") && !isApiPath(pathOf(url));
}

/** An address that the router cannot parse bypasses all hooks. */
export function answerUnroutable(_error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  setSecurityHeaders(reply);
  void reply.header("cache-control", "no-store");
  sendRefusal(request, reply, new Refusal(400, TEXTS.undecodable));
}

/** Invalid HTTP, a request that is too slow, or oversized headers. */
export function answerBrokenConnection(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, text] = brokenConnectionAnswers[error.code ?? ""] ?? [400, TEXTS.badRequest];
  const body = JSON.stringify({ error: text });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Cache-Control: no-store",
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

const brokenConnectionAnswers: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, TEXTS.timeout],
  HPE_HEADER_OVERFLOW: [431, TEXTS.headersTooLarge],
};

/** Errors that the framework raises for bad requests; any other error is an internal one. */
const FRAMEWORK_REFUSALS: Readonly<Record<string, readonly [number, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, TEXTS.wrongContentType],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, TEXTS.badRequest],
  FST_ERR_BAD_URL: [400, TEXTS.undecodable],
  // The client disconnected in the middle of the body.
  ECONNRESET: [400, TEXTS.badRequest],
};

function refusalOf(error: unknown, request: FastifyRequest): Refusal | null {
  if (error instanceof Refusal) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const [issue] = error.validation;
    const isOfQuery = error.validationContext === "querystring";
    const sent = isOfQuery ? request.query : request.body;
    if (issue === undefined) return new Refusal(400, TEXTS.badRequest);
    const field = isOfQuery ? "" : fieldOf(issue);
    return new Refusal(400, issueText(issue, sent), field === "" ? {} : { field });
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new Refusal(413, tooLargeText(request.routeOptions.bodyLimit));
  const known = FRAMEWORK_REFUSALS[code];
  return known === undefined ? null : new Refusal(...known);
}

function tooLargeText(limitBytes: number): string {
  if (limitBytes > MAX_FILE_BYTES) return TEXTS.fileTooLarge;
  return `La demande est trop volumineuse (${limitBytes / 1_024} Ko au plus).`;
}

/**
 * Codes of calls that were refused before anything began: a page that buys must know that nothing was bought.
 * Any other status needs a code of its own, or the outcome is unknown to the page.
 */
const CALL_CODES: Readonly<Record<number, RefusalCode>> = {
  400: "invalide",
  401: "session",
  403: "acces",
  404: "invalide",
  405: "invalide",
  413: "invalide",
  415: "invalide",
  421: "invalide",
  429: "attente",
};

function sendRefusal(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const path = pathOf(request.url);
  const isFilterCall = isFilterPath(path);
  const { headers = {}, field, priceCents, purchaseId } = refusal.details;
  const isClick = path === routes.clickPurchase.path;
  const code = refusal.details.code ?? (isClick ? CALL_CODES[refusal.status] : undefined);
  return reply
    .code(refusal.status)
    .headers({ "cache-control": "no-store", ...headers })
    .type("application/json; charset=utf-8")
    .send(
      JSON.stringify({
        ...(isFilterCall ? { success: false } : {}),
        error: refusal.text,
        ...(code === undefined ? {} : { code }),
        ...(field === undefined ? {} : { champ: field }),
        ...(priceCents === undefined ? {} : { prix: eur(priceCents) }),
        ...(purchaseId === undefined ? {} : { achat: purchaseId }),
      }),
    );
}

/**
 * The declared addresses with the rule of each method, to distinguish a wrong method (405) from a wrong address (404).
 * A path that ends in "*" matches everything that begins with it.
 */
type DeclaredRoutes = ReadonlyMap<string, ReadonlyMap<string, RouteRule>>;

declare module "fastify" {
  interface FastifyInstance {
    readonly declaredRoutes: DeclaredRoutes;
  }
}

/** Collects every route that is declared afterwards; a route without a rule prevents the start. */
export function declareRoutes(app: App): DeclaredRoutes {
  const declared = new Map<string, Map<string, RouteRule>>();
  app.addHook("onRoute", ({ url, method, config }) => {
    if (config?.rule === undefined) throw new Error(`the route ${url} has no rule`);
    const rules = declared.get(url) ?? new Map<string, RouteRule>();
    for (const each of Array.isArray(method) ? method : [method]) rules.set(each, config.rule);
    declared.set(url, rules);
  });
  app.decorate("declaredRoutes", declared);
  return declared;
}

/** The methods of an address; empty if it does not exist. */
function allowedMethods(declared: DeclaredRoutes, path: string): readonly string[] {
  const exact = declared.get(path);
  if (exact !== undefined) return [...exact.keys()];
  for (const [url, rules] of declared) {
    if (url.endsWith("*") && path.startsWith(url.slice(0, -1))) return [...rules.keys()];
  }
  return [];
}
