/** Requests to the server, with the access token from the page's address. */

import * as v from "valibot";
import { type Problem, problemsSchema } from "./types";

const KEY = "eddyline token";

/** Reads the token from the address, removes it there, and keeps it for this tab. */
export function readToken(): string {
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  if (given) {
    sessionStorage.setItem(KEY, given);
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

const token = readToken();

/** A request that the server refused, with all problems that it reported. */
export class RequestError extends Error {
  constructor(
    readonly status: number,
    readonly problems: readonly Problem[],
  ) {
    super(problems.map((problem) => formatProblem(problem)).join(" "));
  }
}

export function formatProblem(problem: Problem): string {
  const where = problem.line ? `line ${problem.line}: ` : "";
  return `${where}${problem.message}${problem.remedy ? ` ${problem.remedy}` : ""}`;
}

/** True if an error means that a newer request replaced this one. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

export async function request(method: string, path: string, body?: Blob | object, signal?: AbortSignal): Promise<Response> {
  const headers = new Headers();
  if (token) headers.set("Authorization", `Bearer ${token}`);
  let sent: Blob | string | null = null;
  if (body instanceof Blob) sent = body;
  else if (body !== undefined) {
    headers.set("Content-Type", "application/json");
    sent = JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(url(path), { method, headers, body: sent, ...(signal ? { signal } : {}) });
  } catch (error) {
    throw isAbort(error) ? error : noResponse();
  }
  if (!response.ok) throw new RequestError(response.status, await readProblems(response));
  return response;
}

function noResponse(): RequestError {
  return new RequestError(0, [{ message: "No response from the server.", remedy: "Is `eddyline lab` still running?" }]);
}

/** Reads the body of a response; a broken connection becomes a RequestError. */
export async function readBody<Body>(body: Promise<Body>): Promise<Body> {
  try {
    return await body;
  } catch (error) {
    throw error instanceof TypeError ? noResponse() : error;
  }
}

/** Sends a request and validates the response against a schema. */
export async function ask<Schema extends v.GenericSchema>(
  schema: Schema,
  method: string,
  path: string,
  body?: Blob | object,
  signal?: AbortSignal,
): Promise<v.InferOutput<Schema>> {
  const response = await request(method, path, body, signal);
  return v.parse(schema, await readBody<unknown>(response.json()));
}

async function readProblems(response: Response): Promise<Problem[]> {
  try {
    const found = v.safeParse(problemsSchema, await response.json());
    if (found.success && found.output.problems.length > 0) return found.output.problems;
  } catch {
    // not JSON: the status code is the only information
  }
  if (response.status === 401 || response.status === 403) {
    return [{ message: "This page has no valid access token.", remedy: "Open the address printed by `eddyline lab`." }];
  }
  return [{ message: `The server returned ${response.status} ${response.statusText}.` }];
}

export function url(path: string): URL {
  return new URL(`api/${path}`, document.baseURI);
}

/** An address that contains the token, for downloads and WebSockets. */
export function urlWithToken(path: string, socket = false): URL {
  const address = url(path);
  if (token) address.searchParams.set("token", token);
  if (socket) address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return address;
}
