/** Content encodings, negotiated by `Accept-Encoding`. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Shorter content hardly shrinks. */
export const MIN_COMPRESSED_BYTES = 1_024;

export const compressGzip = promisify(gzip);

/** Whether an `Accept-Encoding` header accepts a coding; a quality of zero refuses it. */
export function acceptsEncoding(acceptEncoding: string, name: string): boolean {
  return acceptEncoding.split(",").some((part) => {
    const [coding = "", quality = ""] = part.split(";").map((text) => text.trim());
    return coding === name && !/^q=0(\.0*)?$/.test(quality);
  });
}

/**
 * Compresses the answer of one route, as its `onSend` hook. Only for answers without secrets: the size of a compressed
 * answer leaks its content to an attacker who can insert text (BREACH).
 */
export async function compressAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (typeof payload !== "string" || payload.length < MIN_COMPRESSED_BYTES) return payload;
  void reply.header("vary", "accept-encoding");
  if (!acceptsEncoding(request.headers["accept-encoding"] ?? "", "gzip")) return payload;
  void reply.header("content-encoding", "gzip").removeHeader("content-length");
  return await compressGzip(payload);
}
