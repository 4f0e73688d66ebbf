/** The port of a network for tests beside those of its servers: the directory, the event stream and `/dev`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { networkHeader } from '../../platform/network/names.ts'
import { hostFilter, hostname } from '../../platform/xrpc/host.ts'
import { sendError } from '../../platform/xrpc/send.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import type { Directory } from '../directory/directory.ts'
import { isOfLoopbackPage } from '../door/door.ts'
import { listenHere } from '../listen.ts'
import type { Runs } from '../runs.ts'
import type { EventStream } from '../stream/stream.ts'

/** Answers some paths. @returns false for the others */
export type Answer = (req: IncomingMessage, res: ServerResponse) => boolean | Promise<boolean>

export interface Control {
  readonly url: string
  /** Adds what answers paths that nothing before answers: the network is ready. */
  use(answer: Answer): void
  close(): Promise<void>
}

interface Options {
  readonly port: number
  readonly directory: Pick<Directory, 'handle'>
  readonly stream: Pick<EventStream, 'handle'>
  readonly isPast: Runs['isPast']
}

export async function openControl({ port, directory, stream, isPast }: Options): Promise<Control> {
  const answers: Answer[] = [stream.handle, directory.handle]
  /** A network with a world takes seconds to start. */
  let isReady = false
  const isOurs = hostFilter([], false)
  async function receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    // Of a server that a reset has ended.
    if (isPast(req.headers[networkHeader])) return void req.socket.destroy()
    const name = req.headers.host === undefined ? undefined : hostname(req.headers.host)
    if (name === undefined || !isOurs(name) || !isOfLoopbackPage(req) || isPartOfOtherSite(req))
      return sendError(
        req,
        res,
        protocolError('Forbidden', 'Only programs and pages of this computer may use a network for tests'),
      )
    for (const answer of answers) if (await answer(req, res)) return
    if (!isReady)
      return sendError(req, res, protocolError('NotEnoughResources', 'The network starts: try again'))
    sendError(req, res, protocolError('PathNotFound', 'See /dev for what a network for tests answers'))
  }
  const listener = await listenHere(
    (req, res) => void receive(req, res).catch(() => req.socket.destroy()),
    port,
  )
  return {
    url: `http://localhost:${listener.port}`,
    use(answer) {
      answers.push(answer)
      isReady = true
    },
    close: () => listener.close(0),
  }
}

/** Whether a page of another site loads it as an image, a script or a frame, which have no origin: some answers sign an account in. */
function isPartOfOtherSite({ headers }: IncomingMessage): boolean {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-dest': part } = headers
  return origin === undefined && site === 'cross-site' && part !== 'document'
}
