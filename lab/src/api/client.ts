/** Requests to the server, with the token of the page's address. */

import * as v from "valibot";
import { type Problem, problemsSchema } from "./types";

const KEY = "eddyline token";

/** The token that the printed address carries; kept for the tab, and taken out of the address. */
export function takeToken(): string {
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  if (given) {
    sessionStorage.setItem(KEY, given);
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

const token = takeToken();

/** What the server refused, with all its reasons. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly problems: readonly Problem[],
  ) {
    super(problems.map((problem) => sentence(problem)).join(" "));
  }
}

export function sentence(problem: Problem): string {
  const where = problem.line ? `line ${problem.line}: ` : "";
  return `${where}${problem.message}${problem.remedy ? ` ${problem.remedy}` : ""}`;
}

/** Whether an error only says that a newer request has taken the place of this one. */
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
  let answer: Response;
  try {
    answer = await fetch(url(path), { method, headers, body: sent, ...(signal ? { signal } : {}) });
  } catch (error) {
    throw isAbort(error) ? error : noAnswer();
  }
  if (!answer.ok) throw new Refused(answer.status, await reasons(answer));
  return answer;
}

function noAnswer(): Refused {
  return new Refused(0, [{ message: "The server does not answer.", remedy: "Is `eddyline lab` still running?" }]);
}

/** The body of an answer as it is read; it may break off. */
export async function whole<Body>(body: Promise<Body>): Promise<Body> {
  try {
    return await body;
  } catch (error) {
    throw error instanceof TypeError ? noAnswer() : error;
  }
}

/** Asks, and checks the answer against its schema. */
export async function ask<Schema extends v.GenericSchema>(
  schema: Schema,
  method: string,
  path: string,
  body?: Blob | object,
  signal?: AbortSignal,
): Promise<v.InferOutput<Schema>> {
  const answer = await request(method, path, body, signal);
  return v.parse(schema, await whole<unknown>(answer.json()));
}

async function reasons(answer: Response): Promise<Problem[]> {
  try {
    const found = v.safeParse(problemsSchema, await answer.json());
    if (found.success && found.output.problems.length > 0) return found.output.problems;
  } catch {
    // no JSON: the status says what there is to say
  }
  if (answer.status === 401 || answer.status === 403) {
    return [{ message: "This page has no valid token.", remedy: "Open the address that `eddyline lab` printed." }];
  }
  return [{ message: `The server answered ${answer.status} ${answer.statusText}.` }];
}

export function url(path: string): URL {
  return new URL(`api/${path}`, document.baseURI);
}

/** An address that carries the token itself: of downloads and WebSockets. */
export function addressOf(path: string, socket = false): URL {
  const address = url(path);
  if (token) address.searchParams.set("token", token);
  if (socket) address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return address;
}
