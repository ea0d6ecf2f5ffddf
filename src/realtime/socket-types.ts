import type { Server, Socket } from "socket.io";
import type { ClientToServer, ServerToClient } from "#contract/socket.ts";
import type { UserId } from "#domain/ids.ts";
import type { Admission } from "./admission.ts";

/** What the product keeps with a socket once it was let in. */
interface SocketData {
  admission?: Admission;
}

/** What the socket servers of several nodes ask one another. */
interface ServerToServer {
  /** How many sockets a person has there. */
  readonly socketsOf: (userId: UserId, answer: (count: number) => void) => void;
}

export type SocketServer = Server<ClientToServer, ServerToClient, ServerToServer, SocketData>;
export type ClientSocket = Socket<ClientToServer, ServerToClient, ServerToServer, SocketData>;

/** The connection below a socket, one for all of a client's transports. */
export type EngineConnection = ClientSocket["conn"];

/** How several socket servers reach one another. */
export type SocketAdapter = NonNullable<Parameters<SocketServer["adapter"]>[0]>;
