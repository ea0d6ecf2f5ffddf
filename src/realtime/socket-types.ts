import type { Server, Socket } from "socket.io";
import type { ClientToServer, ServerToClient } from "#contract/socket.ts";
import type { UserId } from "#domain/ids.ts";
import type { Admission } from "./admission.ts";

/** The product's data of an admitted socket. */
interface SocketData {
  admission?: Admission;
}

/** Requests between the socket servers of several nodes. */
interface ServerToServer {
  /** How many sockets a person has there. */
  readonly socketsOf: (userId: UserId, answer: (count: number) => void) => void;
}

export type SocketServer = Server<ClientToServer, ServerToClient, ServerToServer, SocketData>;
export type ClientSocket = Socket<ClientToServer, ServerToClient, ServerToServer, SocketData>;

/** The connection below a socket, one for all of a client's transports. */
export type EngineConnection = ClientSocket["conn"];

/** Connects the socket servers of several nodes. */
export type SocketAdapter = NonNullable<Parameters<SocketServer["adapter"]>[0]>;
