/** The pages' documents (landing, its footer's pages, panel, alert), each answer with a fresh nonce, and their files. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpDeps } from "../http-deps.ts";
import { compressAnswer } from "../encodings.ts";
import { Refusal, TEXTS } from "../refusal.ts";
import type { App, RouteRule } from "../route-rule.ts";
import { encode, readWebFiles, type WebDocument, type WebFile } from "../web-files.ts";
import { freshNonce, pagePolicy } from "./security-headers.ts";

const NONCE_PLACE = "__CSP_NONCE__";
const SUPPORT_EMAIL_PLACE = "__SUPPORT_EMAIL__";
const ARCHIVE_DAYS_PLACE = "__ARCHIVE_DAYS__";
const PRICE_DAYS_PLACE = "__PRICE_DAYS__";
const ONE_YEAR_S = 31_536_000;

const PUBLIC: RouteRule = { access: "anyone", origin: "any", rate: null };

export async function serveWeb(app: App, deps: Pick<HttpDeps, "config" | "log">): Promise<void> {
  const { config } = deps;
  const { documents, files } = await readWebFiles(config.webRoot);
  if (documents === null) deps.log.warn({}, "the web is not built: only the API answers");

  // Opens the connection for the first photos while the code loads. Patterns name no host.
  const pictureHosts = config.imageSources.filter((source) => !source.includes("*") && URL.canParse(source));
  const preconnections = pictureHosts.map((origin) => `<${origin}>; rel=preconnect`).join(", ");

  for (const path of PAGE_PATHS) {
    const name = documentOf(path);
    const isPanel = name === "panel";
    const document =
      documents
        ?.get(name)
        ?.replaceAll(SUPPORT_EMAIL_PLACE, () => escapeHtml(config.supportEmail))
        .replaceAll(ARCHIVE_DAYS_PLACE, String(config.archiveDays))
        .replaceAll(PRICE_DAYS_PLACE, String(config.minPriceDays)) ?? null;
    app.route({
      method: ["GET", "HEAD"],
      url: path,
      config: { rule: PUBLIC },
      // A page has no secret and nothing of the request.
      onSend: compressAnswer,
      handler: async (_request, reply) => {
        if (document === null) throw new Refusal(503, TEXTS.webMissing);
        const nonce = freshNonce();
        if (isPanel && preconnections !== "") void reply.header("link", preconnections);
        return (
          reply
            .header("content-security-policy", pagePolicy(config, nonce))
            // A cached copy would reuse its nonce.
            .header("cache-control", "private, no-cache")
            .type("text/html; charset=utf-8")
            .send(document.replaceAll(NONCE_PLACE, nonce))
        );
      },
    });
  }
  for (const [path, file] of files) {
    app.route({
      method: ["GET", "HEAD"],
      url: path,
      config: { rule: PUBLIC },
      handler: (request, reply) => sendFile(request, reply, file),
    });
  }
}

function documentOf(path: string): WebDocument {
  if (path.startsWith("/synapse")) return "panel";
  if (path === ALERT_PATH) return "alerte";
  return path === "/" ? "index" : "legal";
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: WebFile): Promise<FastifyReply> {
  void reply
    .header("cache-control", file.isHashed ? `public, max-age=${ONE_YEAR_S}, immutable` : "public, no-cache")
    .header("etag", file.etag)
    .header("vary", "accept-encoding");
  if (request.headers["if-none-match"] === file.etag) return reply.code(304).send();
  const { body, encoding } = await encode(file, request.headers["accept-encoding"] ?? "");
  if (encoding !== null) void reply.header("content-encoding", encoding);
  return reply.type(file.type).send(body);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

const ALERT_PATH = "/alerte";

/** Every address of a page; others are 404. A final "*" includes all addresses below. */
export const PAGE_PATHS: readonly string[] = [
  "/",
  "/synapse",
  "/synapse/*",
  ALERT_PATH,
  ...[
    "/a-propos",
    "/blog",
    "/carrieres",
    "/contact",
    "/conditions",
    "/confidentialite",
    "/cookies",
    "/rgpd",
  ].flatMap((path) => [path, `${path}/`]),
];
