/** What an answer may be shrunk to, as its reader says. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

const MIN_COMPRESSED_BYTES = 1_024;

const compressGzip = promisify(gzip);

/** Whether an `Accept-Encoding` header takes a coding; a quality of zero refuses it. */
export function acceptsEncoding(acceptEncoding: string, name: string): boolean {
  return acceptEncoding.split(",").some((part) => {
    const [coding = "", quality = ""] = part.split(";").map((text) => text.trim());
    return coding === name && !/^q=0(\.0*)?$/.test(quality);
  });
}

/**
 * Shrinks the answer of one route, as its `onSend` hook. Only for answers without anything secret: the size of a
 * compressed one tells what it holds to whoever can put words into it.
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
