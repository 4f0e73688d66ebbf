/** A request to a server that may be killed meanwhile. */

/** The connection broke: the server has been killed. */
export class ServerKilled extends Error {}

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
  readonly body: any
}

/** @throws ServerKilled */
export async function exchange(url: string, request: RequestInit): Promise<Answer> {
  const { status, body } = await receive(url, request, (response) => response.text())
  return { status, body: body === '' ? undefined : JSON.parse(body) }
}

/** Returns a body as bytes. @throws ServerKilled */
export async function download(
  url: string,
  request: RequestInit,
): Promise<{ status: number; body: Uint8Array }> {
  return receive(url, request, (response) => response.bytes())
}

async function receive<T>(
  url: string,
  request: RequestInit,
  read: (response: Response) => Promise<T>,
): Promise<{ status: number; body: T }> {
  return fetch(url, request)
    .then(async (response) => ({ status: response.status, body: await read(response) }))
    .catch((cause: unknown) => {
      throw new ServerKilled('The connection broke', { cause })
    })
}
