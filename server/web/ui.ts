/**
 * The user interface: the built renderer, at `/`. Its files are read and compressed once, when first asked for.
 *
 * A page that holds tokens runs no script but its own (Content-Security-Policy), is not framed, and does not answer to other
 * origins: CORS is for methods alone. Hashed files never change under their name; everything else is asked for anew.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'

/** Where the build puts them: beside the compiled server. */
const built = import.meta.url.endsWith('.ts') ? '../../dist/renderer/' : '../../renderer/'
const defaultFolder = new URL(built, import.meta.url)

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  // WebSockets to the same host are included (CSP level 3).
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const notBuilt = `This is a personal data server. Its methods are called at /xrpc/<nsid>.
Its user interface has not been built: npm run build
`

interface UiFile {
  readonly content: Buffer
  readonly compressed: Buffer
  readonly type: string
  readonly etag: string
}

/** Answers a request for a path, and says whether there is anything at it. */
export type ServeUi = (req: IncomingMessage, res: ServerResponse, path: string) => Promise<boolean>

/** @param folder where the built files are */
export function createUi(folder: URL = defaultFolder): ServeUi {
  const files = new Map<string, Promise<UiFile | undefined>>()
  return async (req, res, path) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return false
    // Only plain names: nothing that could climb out of the folder.
    const name = path === '/' ? 'index.html' : /^\/((?:assets\/)?[\w-]+(?:\.[\w-]+)+)$/.exec(path)?.[1]
    if (name === undefined) return false
    const known = files.get(name)
    const file = await (known ?? load(new URL(name, folder)))
    if (!file) return path === '/' ? sendText(res, notBuilt) : false
    if (!known) files.set(name, Promise.resolve(file))
    send(req, res, file, path.startsWith('/assets/'))
    return true
  }
}

async function load(url: URL): Promise<UiFile | undefined> {
  try {
    const content = await readFile(url)
    const type = contentTypes[extname(url.pathname)] ?? 'application/octet-stream'
    const etag = `"${createHash('sha256').update(content).digest('base64url')}"`
    return { content, compressed: await promisify(brotliCompress)(content), type, etag }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EISDIR') return undefined
    throw error
  }
}

function send(req: IncomingMessage, res: ServerResponse, file: UiFile, isHashed: boolean): void {
  protect(res)
  res.setHeader('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
  res.setHeader('ETag', file.etag)
  res.setHeader('Vary', 'Accept-Encoding')
  if (req.headers['if-none-match'] === file.etag) {
    res.writeHead(304).end()
    return
  }
  const isCompressed = /\bbr\b/.test(String(req.headers['accept-encoding']))
  const body = isCompressed ? file.compressed : file.content
  if (isCompressed) res.setHeader('Content-Encoding', 'br')
  res.setHeader('Content-Type', file.type)
  res.setHeader('Content-Length', body.length)
  res.end(req.method === 'HEAD' ? undefined : body)
}

function sendText(res: ServerResponse, text: string): true {
  protect(res)
  res.setHeader('Content-Type', 'text/plain; charset=utf-8')
  res.end(text)
  return true
}

function protect(res: ServerResponse): void {
  res.removeHeader('Access-Control-Allow-Origin')
  res.removeHeader('Access-Control-Expose-Headers')
  res.setHeader('Content-Security-Policy', contentSecurityPolicy)
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('X-Content-Type-Options', 'nosniff')
}
