/**
 * Stands for the program `tailscale` and its service, with the output of the real one. Its state is the JSON file that FAKE_TAILSCALE
 * names, which a test reads and changes.
 *
 * Sources of the output, all in the repository tailscale/tailscale (read in 2026; nothing was run):
 * - `status --json`: ipn/ipnstate/ipnstate.go (`Status`), states in ipn/backend.go
 * - `serve status --json`: cmd/tailscale/cli/serve_legacy.go (`runServeStatus` prints the whole ServeConfig of ipn/serve.go, or null)
 * - `funnel --bg`: cmd/tailscale/cli/serve_v2.go (`runServeCombined`, `messageForPort`, `validateConfig`)
 * - consent: `enableFeatureInteractive` in serve_legacy.go prints a text and a page, and waits or exits with 0
 * - refusals: ipn/serve.go (`CheckFunnelAccess`, `CheckFunnelPort`), the help for a stopped service in safesocket and
 *   paths/diagnostics of client/tailscale
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

export interface FakeState {
  /** Of the service; undefined while it does not run. */
  readonly backend?: string | undefined
  readonly version: string
  readonly name: string
  readonly online: boolean
  /** `wait`: the program waits for the page. `later`: it ends, and the person has to come back. */
  readonly consent: 'given' | 'wait' | 'later'
  readonly refusal?: 'https' | 'attribute' | 'port' | 'operator' | 'garbage'
  /** `funnel … off` changes nothing. */
  readonly isStuck?: boolean
  /** As `serve status --json` prints it. */
  readonly config: ServeConfig | null
  /** Command lines so far. */
  readonly calls: readonly string[]
}

export interface ServeConfig {
  readonly TCP?: Readonly<Record<string, object>>
  readonly Web?: Readonly<Record<string, { readonly Handlers: Readonly<Record<string, object>> }>>
  readonly AllowFunnel?: Readonly<Record<string, boolean>>
}

export const freshState: FakeState = {
  ...{ backend: 'Running', version: '1.90.1-t8d2e0c4f5', name: 'laptop.tail1234.ts.net', online: true },
  ...{ consent: 'given', config: null, calls: [] },
}

export const page = 'https://login.tailscale.com/f/funnel?node=nAbCdEfG11CNTRL'

/** The configuration with one target at a port. */
export function serving(name: string, port: string, target: string, isPublic = true): ServeConfig {
  const at = `${name}:${port}`
  return {
    TCP: { [port]: { HTTPS: true } },
    Web: { [at]: { Handlers: { '/': { Proxy: target } } } },
    ...(isPublic && { AllowFunnel: { [at]: true } }),
  }
}

if (import.meta.main) await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<void> {
  const file = process.env.FAKE_TAILSCALE ?? ''
  const read = () => JSON.parse(readFileSync(file, 'utf8')) as FakeState
  const write = (change: Partial<FakeState>) => writeFileSync(file, JSON.stringify({ ...read(), ...change }))
  const end = (text: string, status = 1): never => {
    if (status === 0) process.stdout.write(text)
    else process.stderr.write(text)
    process.exit(status)
  }
  const state = read()
  write({ calls: [...state.calls, args.join(' ')] })
  if (state.backend === undefined) {
    end(
      "failed to connect to local tailscaled; it doesn't appear to be running (sudo systemctl start tailscaled ?)\n",
    )
  }
  if (state.refusal === 'garbage') end('Tailscale 3 speaks another language\n', 0)

  if (args[0] === 'status') {
    const { version, backend, name, online } = state
    const self = { DNSName: name === '' ? '' : `${name}.`, Online: online, TailscaleIPs: ['100.64.0.7'] }
    end(`${JSON.stringify({ Version: version, BackendState: backend, AuthURL: '', Self: self })}\n`, 0)
  }
  if (args.join(' ') === 'serve status --json') end(`${JSON.stringify(state.config)}\n`, 0)
  if (args[0] !== 'funnel') end(`unknown subcommand: ${args[0]}\n`)

  const port = args.find((arg) => arg.startsWith('--https='))?.slice('--https='.length) ?? '443'
  if (args.at(-1) === 'off') {
    if (!state.config?.TCP?.[port]) end('error: failed to remove web serve: handler does not exist\n')
    if (!state.isStuck) write({ config: {} })
    process.exit(state.isStuck ? 1 : 0)
  }
  if (state.refusal === 'operator') {
    end(
      "sending serve config: Access denied: serve config denied\n\nUse 'sudo tailscale funnel'.\nTo not require root, use 'sudo tailscale set --operator=$USER' once.\n",
    )
  }
  if (state.refusal === 'https')
    end('Funnel not available; HTTPS must be enabled. See https://tailscale.com/s/https.\n')
  if (state.refusal === 'attribute') {
    end('Funnel not available; "funnel" node attribute not set. See https://tailscale.com/s/no-funnel.\n')
  }
  if (state.refusal === 'port') end(`port ${port} is not allowed for funnel; allowed ports are: 8443,10000\n`)
  if (state.consent !== 'given') {
    process.stdout.write(
      `\nFunnel is not enabled on your tailnet.\nTo enable, visit:\n\n         ${page}\n\n`,
    )
    if (state.consent === 'later') process.exit(0)
    while (read().consent !== 'given') await setTimeout(20)
    process.stdout.write('Success.\n')
  }
  const target = args.at(-1) ?? ''
  write({ config: serving(state.name, port, target) })
  end(
    `Available on the internet:\n\nhttps://${state.name}/\n|-- proxy ${target}\n\nFunnel started and running in the background.\nTo disable the proxy, run: tailscale funnel --https=${port} off\n`,
    0,
  )
}
