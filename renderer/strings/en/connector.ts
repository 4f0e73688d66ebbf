/** Texts of a public address through Cloudflare. */
import type { ConnectorState } from '../../../electron/ground/bridge.ts'

/** States with a sentence of their own. */
type Explained = Exclude<ConnectorState, 'ready' | 'open'>

export const connector = {
  title: 'Through Cloudflare, with your own domain',
  lead: 'For a domain at Cloudflare, with the program cloudflared. Cloudflare decrypts the traffic and sees it, passwords included, and refuses uploads above 100 MB.',
  steps: [
    'In the Cloudflare dashboard, create a tunnel and give it a public hostname. Its service is the address below.',
    'Cloudflare then shows a command that contains the token of the tunnel. You need not run it: paste it here.',
  ],
  target: 'Service',
  copyTarget: 'Copy service',
  host: 'Public hostname',
  hostExample: 'pds.example.com',
  token: 'Command or token',
  tokenHint:
    'It is kept in the keyring of your system, where there is one, and deleted when you take this back.',
  openedText: 'Requests from the internet arrive through Cloudflare while this app runs.',
  details: 'What cloudflared says',
  leadsTo: 'Where it leads',
  problems: {
    absent: 'The program cloudflared is not installed. Install it from Cloudflare, then look again.',
    tooOld: 'This version of cloudflared is too old. Update it, then try again.',
    connecting: 'The tunnel is being connected. The server becomes public by itself.',
    rejected:
      'Cloudflare does not accept this token. Copy it again from the tunnel in the dashboard, then try again.',
    locked: 'The keyring of your system has not given the token yet. Unlock it; then this goes on by itself.',
    noRoute:
      'The tunnel is connected, but at Cloudflare this hostname leads nowhere. Add it to the tunnel, with the service below. This goes on by itself.',
    elsewhere:
      'The tunnel is connected, but at Cloudflare this hostname leads to something else. Change its service to the one below. This goes on by itself.',
    offline: 'The tunnel has no connection. Check the internet connection of this computer.',
    ended: 'The program cloudflared ended. While the server is public it is started again.',
  } satisfies Record<Explained, string>,
}
