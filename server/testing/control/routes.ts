/** `/dev`: the network for tests as JSON over HTTP. `lexicons/` describes each method. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendError, sendJson } from '../../platform/xrpc/send.ts'
import { protocolError, XrpcError } from '../../platform/xrpc/xrpc-errors.ts'
import { NetworkCallFailed, NetworkRestored, NotInNetwork, ServerNotRunning } from '../errors.ts'
import { ApprovalError } from '../oauth.ts'
import { WorldError } from '../worlds/errors.ts'
import { type LexiconMethod, readBody, readParams } from './input.ts'
import { lexicons } from './lexicons.ts'
import { type ControlledNetwork, createMethods, type Method } from './methods.ts'
import { sendPage } from './page.ts'

export type Routes = (req: IncomingMessage, res: ServerResponse) => Promise<void>
export type { ControlledNetwork }

/** The methods by path, with parameters in braces. */
export const paths: Readonly<
  Record<string, Readonly<Partial<Record<'GET' | 'POST' | 'DELETE', MethodName>>>>
> = {
  '/dev/accounts': { GET: 'listAccounts', POST: 'createAccount' },
  '/dev/accounts/{handle}': { GET: 'getAccount' },
  '/dev/accounts/{handle}/app-passwords': { POST: 'createAppPassword' },
  '/dev/accounts/{handle}/mailed-code': { POST: 'requireMailedCode' },
  '/dev/accounts/{handle}/move': { POST: 'moveAccount' },
  '/dev/reset': { POST: 'reset' },
  '/dev/snapshots': { POST: 'createSnapshot' },
  '/dev/snapshots/{id}': { DELETE: 'deleteSnapshot' },
  '/dev/snapshots/{id}/restore': { POST: 'restoreSnapshot' },
  '/dev/clock': { GET: 'getClock', POST: 'moveClock' },
  '/dev/faults': { GET: 'listFaults', POST: 'addFault', DELETE: 'clearFaults' },
  '/dev/faults/{id}': { DELETE: 'removeFault' },
  '/dev/mail': { GET: 'listMail' },
  '/dev/requests': { GET: 'listRequests' },
  '/dev/events': { GET: 'listEvents' },
  '/dev/servers': { GET: 'listServers' },
  '/dev/servers/{server}/pause': { POST: 'pauseServer' },
  '/dev/servers/{server}/resume': { POST: 'resumeServer' },
  '/dev/servers/{server}/kill': { POST: 'killServer' },
  '/dev/servers/{server}/restart': { POST: 'restartServer' },
  '/dev/world': { POST: 'loadWorld' },
  '/dev/oauth/approve': { POST: 'approveRequest' },
  '/dev/lexicons': { GET: 'listLexicons' },
}

export type MethodName = Exclude<keyof typeof lexicons, 'defs'>

export function createRoutes<Snapshot>(network: ControlledNetwork<Snapshot>): Routes {
  const methods: Readonly<Record<MethodName, Method>> = createMethods(network)
  const patterns = Object.entries(paths).map(([path, verbs]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    verbs,
  }))

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost')
    const verb = req.method === 'HEAD' ? 'GET' : (req.method ?? '')
    if (verb === 'GET' && sendPage(res, pathname)) return
    const found = patterns.find(({ pattern }) => pattern.test(pathname))
    if (!found)
      throw protocolError('PathNotFound', `There is no ${pathname}. GET /dev/lexicons lists all methods`)
    const allowed = Object.keys(found.verbs)
    if (verb === 'OPTIONS') return answerPreflight(res, allowed)
    const name = found.verbs[verb as keyof typeof found.verbs]
    if (name === undefined) {
      res.setHeader('Allow', allowed.join(', '))
      throw new XrpcError('MethodNotAllowed', `Use ${allowed.join(' or ')} for ${pathname}`, { status: 405 })
    }
    const { main } = lexicons[name].defs as { readonly main: LexiconMethod }
    const params = readParams(main, searchParams, inPath(found.pattern.exec(pathname)?.groups))
    const body = main.type === 'procedure' ? await readBody(main, req) : {}
    const output = await methods[name]({ params, body, req, res })
    if (output !== undefined) sendJson(req, res, 200, output)
  }

  return async (req, res) => {
    allowLoopback(req, res)
    res.setHeader('Cache-Control', 'no-store')
    try {
      await answer(req, res)
    } catch (error) {
      req.resume()
      if (res.headersSent) res.destroy()
      else sendError(req, res, refusalOf(error))
    }
  }
}

function inPath(groups: Readonly<Record<string, string>> = {}): Record<string, string> {
  const decode = (text: string) => {
    try {
      return decodeURIComponent(text)
    } catch {
      throw protocolError('InvalidRequest', `${text} is no text of a URL`)
    }
  }
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decode(text)]))
}

/** Pages of this computer may read the answer. Other origins were refused before. */
function allowLoopback({ headers: { origin } }: IncomingMessage, res: ServerResponse): void {
  res.appendHeader('Vary', 'Origin')
  if (origin !== undefined) res.setHeader('Access-Control-Allow-Origin', origin)
}

function answerPreflight(res: ServerResponse, allowed: readonly string[]): void {
  res.setHeader('Access-Control-Allow-Methods', allowed.join(', '))
  res.setHeader('Access-Control-Allow-Headers', 'content-type')
  res.writeHead(204).end()
}

function refusalOf(error: unknown): XrpcError {
  if (error instanceof XrpcError) return error
  const { message } = error as Error
  if (error instanceof NotInNetwork) return new XrpcError('NotFound', message, { status: 404 })
  if (error instanceof ServerNotRunning) return new XrpcError('ServerNotReachable', message, { status: 502 })
  if (error instanceof NetworkRestored) return new XrpcError(error.name, message, { status: 409 })
  if (error instanceof NetworkCallFailed) return new XrpcError(error.error, message, { status: error.status })
  if (error instanceof ApprovalError) return new XrpcError('InvalidApproval', message)
  if (error instanceof WorldError) return new XrpcError('InvalidWorld', message)
  return protocolError('InternalServerError', message)
}
