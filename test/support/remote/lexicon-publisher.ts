/** An account of another server that publishes lexicons. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { P256Keypair } from '@atproto/crypto'
import type { LexMap } from '@atproto/lex-data'
import { type DidHost, didDocument, startDidHost } from '../accounts/did-host.ts'
import type { NameServer } from '../network/dns.ts'
import { RemoteRepository } from './remote-repository.ts'

const collection = 'com.atproto.lexicon.schema'

export class LexiconPublisher {
  readonly did: string
  readonly repository: RemoteRepository
  /** The paths that were requested. */
  readonly requests: string[] = []
  /** Replaces the answer of its server. */
  answer: RequestListener | undefined
  /** Its server answers after this. */
  ready: Promise<void> = Promise.resolve()
  readonly #host: DidHost
  readonly #signer: P256Keypair
  readonly #server: Server
  readonly #names: NameServer
  #revs = 0

  private constructor(names: NameServer, host: DidHost, signer: P256Keypair) {
    this.did = host.did
    this.repository = new RemoteRepository(host.did)
    this.#host = host
    this.#signer = signer
    this.#names = names
    this.#server = createServer(async (req, res) => {
      this.requests.push(req.url ?? '')
      await this.ready
      if (this.answer) return this.answer(req, res)
      const { pathname, searchParams } = new URL(req.url ?? '', 'http://localhost')
      if (pathname !== '/xrpc/com.atproto.sync.getRecord') return void res.writeHead(404).end()
      const key = `${searchParams.get('collection')}/${searchParams.get('rkey')}`
      const proof = await this.repository.proof(key)
      res.setHeader('content-type', 'application/vnd.ipld.car').end(proof)
    })
  }

  static async start(names: NameServer): Promise<LexiconPublisher> {
    const publisher = new LexiconPublisher(names, await startDidHost(), await P256Keypair.create())
    await new Promise<void>((resolve) => publisher.#server.listen(0, '127.0.0.1', resolve))
    publisher.setKey(publisher.#signer)
    return publisher
  }

  /** Names a key in its document. */
  setKey(key: { did(): string }): void {
    const endpoint = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    const { did } = this
    this.#host.documents.set(did, didDocument(did, key, 'publisher.example', endpoint))
  }

  /** Owns a domain from now on, such as `notes.example`. */
  own(domain: string): void {
    this.#names.records.set(`_lexicon.${domain}`, [`did=${this.did}`])
  }

  /** Publishes a lexicon with definitions. @param change of the record */
  async publish(nsid: string, defs: object, change: object = {}): Promise<void> {
    const record = { $type: collection, lexicon: 1, id: nsid, defs, ...change } as LexMap
    const rev = `3jzfcijpj2z${'234567abcdefghij'[this.#revs >> 4]}${'234567abcdefghij'[this.#revs++ & 15]}`
    await this.repository.commit([{ key: `${collection}/${nsid}`, record }], this.#signer, rev)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await this.#host.close()
  }
}
