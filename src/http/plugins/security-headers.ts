/** The security headers. Set explicitly, since a library's defaults are looser where it matters. */
import { randomBytes } from "node:crypto";
import type { FastifyReply } from "fastify";
import type { HttpConfig } from "../http-deps.ts";

const NONCE_BYTES = 16;

const FIXED_HEADERS: Readonly<Record<string, string>> = {
  // Ignored by browsers over plain http, which only loopback uses.
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-dns-prefetch-control": "off",
  "x-permitted-cross-domain-policies": "none",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "permissions-policy":
    "accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), midi=(), payment=(), usb=()",
  // For answers that are not pages: nothing may be executed, framed or embedded.
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Every answer gets these, refusals and errors included. */
export function setSecurityHeaders(reply: FastifyReply): void {
  void reply.headers(FIXED_HEADERS);
}

export function freshNonce(): string {
  return randomBytes(NONCE_BYTES).toString("base64");
}

/** A page's policy: own scripts, and styles with this answer's nonce. */
export function pagePolicy(config: Pick<HttpConfig, "imageSources" | "publicUrl">, nonce: string): string {
  const socketOrigin = config.publicUrl.replace(/^http/, "ws");
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    `connect-src 'self' ${socketOrigin}`,
    ["img-src 'self' data:", ...config.imageSources].join(" "),
    "base-uri 'none'",
    "object-src 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
