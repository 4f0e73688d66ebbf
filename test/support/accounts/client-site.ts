/** The site of an app over https: documents of its clients, and their keys. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { SignJWT } from 'jose'
import { afterAll, beforeAll } from 'vitest'
import type { Config } from '../../../server/platform/config/config.ts'
import { certificates, key, trustTestAuthority } from '../network/certificates.ts'
import { NameServer } from '../network/dns.ts'
import { type Setup, server, setupServer } from '../server/setup.ts'
import { issuer } from './oauth.ts'
import { redirect } from './oauth-app.ts'

/** Has the address of the site. Set by `setupClientSite`. */
export let names: NameServer
/** Set by `setupClientSite`. */
export let site: ClientSite

export type Handler = (req: IncomingMessage, res: ServerResponse) => void

export const json =
  (value: unknown): Handler =>
  (_, res) =>
    void res.setHeader('content-type', 'application/json').end(JSON.stringify(value))

class ClientSite {
  /** What it answers, by path. */
  readonly answers = new Map<string, Handler>()
  /** The requested paths. */
  readonly requests: string[] = []
  readonly #web: Server
  #next = 0

  private constructor() {
    this.#web = createServer({ key, cert: certificates.valid }, (req, res) => {
      this.requests.push(req.url ?? '')
      const handler = this.answers.get(req.url ?? '')
      if (handler) handler(req, res)
      else res.writeHead(404).end()
    })
  }

  static async start(names: NameServer): Promise<ClientSite> {
    trustTestAuthority()
    names.addresses.set('app.pds.example.com', ['127.0.0.1'])
    const site = new ClientSite()
    await new Promise<void>((resolve) => site.#web.listen(0, '127.0.0.1', resolve))
    return site
  }

  get origin(): string {
    return `https://app.pds.example.com:${(this.#web.address() as AddressInfo).port}`
  }

  /** Publishes a document at a new address, or at the one of a client. Returns the client_id. */
  publish(change: Record<string, unknown> = {}, path = `/client-${this.#next++}.json`): string {
    const id = this.origin + path
    const document = {
      client_id: id,
      client_name: 'Not to be shown',
      redirect_uris: [redirect],
      response_types: ['code'],
      grant_types: ['authorization_code', 'refresh_token'],
      scope: 'atproto transition:generic',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      dpop_bound_access_tokens: true,
      ...change,
    }
    this.answers.set(path, json(document))
    return id
  }

  /** As `publish`, for a client with keys of its own. */
  confidential(keys: object, path?: string): string {
    const own = {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      application_type: 'web',
      redirect_uris: [confidentialRedirect],
    }
    return this.publish({ ...own, ...keys }, path)
  }

  async close(): Promise<void> {
    trustTestAuthority(false)
    this.#web.closeAllConnections()
    await new Promise((resolve) => this.#web.close(resolve))
  }
}

/** As `setupServer`, for a server that reads the documents of apps at a site. @param config further settings */
export function setupClientSite({
  config,
  ...setup
}: Omit<Setup, 'config'> & { readonly config?: Partial<Config> } = {}): void {
  beforeAll(async () => {
    names = await NameServer.start()
    site = await ClientSite.start(names)
  })
  afterAll(async () => {
    await site.close()
    await names.close()
  })
  setupServer({
    ...setup,
    config: () => ({
      publicUrl: undefined,
      allowPrivateTargets: true,
      nameServers: [names.address],
      ...config,
    }),
  })
}

export const confidentialRedirect = 'https://app.example.com/callback'

/** Returns the fields that authenticate a client by its key. */
export async function assertion(
  id: string,
  signer: Parameters<SignJWT['sign']>[0],
  claims: object = {},
  header: object = {},
) {
  const payload = { iss: id, sub: id, aud: issuer(), jti: randomUUID(), ...claims }
  const at = Math.floor(server.clock.now().getTime() / 1000)
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', kid: 'one', ...header })
      .setIssuedAt(at)
      .setExpirationTime(at + 60)
      .sign(signer),
  }
}
