/**
 * Stands for the program `cloudflared`, with the output of the real one. Its state is the JSON file that FAKE_CLOUDFLARED names, which
 * a test reads and changes while the program runs.
 *
 * Sources of the output, all in the repository cloudflare/cloudflared (version of August 2026; nothing was run):
 * - `tunnel run` with TUNNEL_TOKEN: cmd/cloudflared/tunnel/subcommands.go (`runCommand`, `ParseToken`), which prints a usage error
 * - log lines: zerolog's console format without colours (logger/create.go); metrics/metrics.go, connection/observer.go
 *   (`logConnected`), orchestration/orchestrator.go (`UpdateConfig` logs what was set at Cloudflare, quoted as by Go)
 * - a token that Cloudflare refuses: supervisor/tunnel.go and supervisor.go, which go on trying after "Unauthorized"
 * - no network: edgediscovery, after which the first connection ends the program
 * - `/ready`: metrics/readiness.go
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'

export interface FakeConnector {
  readonly behaviour: 'connects' | 'unauthorized' | 'offline' | 'old' | 'garbage' | 'ends'
  /** Rules for host names, as set at Cloudflare; null before any were set. */
  readonly ingress: readonly Rule[] | null
  /** Whether it has a connection after the first one. */
  readonly isConnected: boolean
  /** The runs so far: their arguments, token and process. */
  readonly runs: readonly { readonly args: string; readonly token: string; readonly pid: number }[]
}

export interface Rule {
  readonly hostname?: string
  readonly path?: string
  readonly service: string
}

export const freshConnector: FakeConnector = {
  behaviour: 'connects',
  ingress: null,
  isConnected: true,
  runs: [],
}

/** A token in the form of the real ones: account, tunnel and secret, as JSON in Base64. */
export const connectorToken = Buffer.from(
  JSON.stringify({
    a: '0123456789abcdef0123456789abcdef',
    t: '6ff42ae2-765d-4adf-8112-31c55c1551ef',
    s: 'bm90IGEgc2VjcmV0',
  }),
).toString('base64')

/** Replaces the state. A rename, because the other process reads the file at any time and must not find a part of it. */
export function writeConnector(file: string, state: FakeConnector): void {
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, JSON.stringify(state))
  renameSync(temporary, file)
}

const lookMs = 20

if (import.meta.main) await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<void> {
  const file = process.env.FAKE_CLOUDFLARED ?? ''
  const read = () => JSON.parse(readFileSync(file, 'utf8')) as FakeConnector
  const token = process.env.TUNNEL_TOKEN ?? ''
  const { behaviour, runs } = read()
  const run = { args: args.join(' '), token, pid: process.pid }
  writeConnector(file, { ...read(), runs: [...runs, run] })

  const log = (level: string, text: string) =>
    void process.stderr.write(`${new Date().toISOString().slice(0, 19)}Z ${level} ${text}\n`)
  const end = (text: string): never => {
    process.stderr.write(`${text}\n`)
    process.exit(1)
  }
  if (behaviour === 'old') end('Incorrect Usage: flag provided but not defined: -grace-period')
  if (behaviour === 'garbage') end('cloudflared 9 speaks another language')
  if (!token.startsWith('eyJ')) {
    end("Provided Tunnel token is not valid.\nSee 'cloudflared tunnel run --help'.")
  }
  log('INF', 'Starting tunnel tunnelID=6ff42ae2-765d-4adf-8112-31c55c1551ef')
  log('INF', 'Generated Connector ID: 0e1d8e2c-7d5b-4b7f-9a6b-7b5e9ad8f9c1')

  let isConnected = false
  const server = createServer((_, res) => {
    res.writeHead(isConnected ? 200 : 503)
    res.end(JSON.stringify({ status: isConnected ? 200 : 503, readyConnections: isConnected ? 4 : 0 }))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  log('INF', `Starting metrics server on 127.0.0.1:${port}/metrics`)
  if (behaviour === 'offline') {
    log(
      'ERR',
      'Failed to initialize DNS local resolver error="lookup region1.v2.argotunnel.com: no such host"',
    )
    end('edge discovery: error looking up Cloudflare edge IPs: the DNS query failed')
  }
  if (behaviour === 'ends') end('panic: something unexpected')

  let ingress = ''
  for (;;) {
    const now = read()
    if (now.behaviour === 'unauthorized') {
      if (!isConnected) {
        log(
          'ERR',
          'Register tunnel error from server side error="Unauthorized: Tunnel not found" connIndex=0 event=0 ip=198.41.200.13',
        )
      }
      await setTimeout(500)
      continue
    }
    if (now.isConnected && !isConnected) {
      log(
        'INF',
        'Registered tunnel connection connIndex=0 connection=5f6c9d3e event=0 ip=198.41.200.13 location=fra08 protocol=quic',
      )
    } else if (!now.isConnected && isConnected) {
      log('ERR', 'Connection terminated error="timeout: no recent network activity" connIndex=0')
    }
    isConnected = now.isConnected
    const text = JSON.stringify({
      ingress: [...(now.ingress ?? []), { service: 'http_status:404' }],
      'warp-routing': { enabled: false },
    })
    if (isConnected && now.ingress && text !== ingress) {
      ingress = text
      log('INF', `Updated to new configuration config=${JSON.stringify(text)} version=${now.ingress.length}`)
    }
    await setTimeout(lookMs)
  }
}
