/** Texts of a public address through a program of the person; those of Tailscale alone say so. */
import type { TunnelState } from '../../../electron/ground/bridge.ts'

/** States with a sentence of their own. */
type Explained = Exclude<TunnelState, 'ready' | 'open'>

export const tunnel = {
  title: 'Through Tailscale',
  lead: 'Tailscale gives this computer a public name and passes requests on to it: no domain, no changes at your router. Its relays carry the traffic and cannot read it.',
  badge: { open: 'Public', problem: 'Not public' },
  ready: (host: string) => `Your address will be ${host}.`,
  readyText: [
    'The handles, public keys and the address of the accounts here are published for everyone, in the directory plc.directory.',
    'The relay bsky.network is asked to read the public posts of all accounts. New accounts need an invite code.',
    'While this computer sleeps or is off, others cannot reach it. They keep what they have read, and read the rest when it is back.',
  ],
  open: 'Go public',
  openAt: (port: string) => `Use port ${port}`,
  portNote: 'The name of this computer can be a handle only at port 443.',
  openPage: 'Open page',
  details: 'What Tailscale says',
  opened: (host: string) => `Public at ${host}`,
  openedText: 'Requests from the internet arrive through Tailscale.',
  copyAddress: 'Copy public address',
  takeBack: 'Stop being public',
  takeBackTitle: 'Stop being public?',
  takeBackHandle: (handle: string) => `Your handle becomes ${handle} again.`,
  takeBackTexts: {
    tunnel: 'Tailscale stops passing requests on, and the settings are as they were before.',
    connector:
      'The program is ended, the token is deleted, and the settings are as they were before. The tunnel stays in your Cloudflare account.',
  },
  takenBack: 'The server is private again',
  handleTitle: (host: string) => `Use ${host} as your handle`,
  handleDetail: 'A public name without a domain of your own. One account can have it.',
  handleSubmit: 'Use as handle',
  handleDone: (host: string) => `Your handle is ${host}`,
  unfinished: 'The last attempt was not finished. Stop being public, then try again.',
  isLeft:
    'The server is private, but Tailscale still has the address. It answers with an error until you stop being public.',
  problems: {
    absent: 'Tailscale is not installed. Install it from tailscale.com, sign in, then look again.',
    tooOld: 'This version of Tailscale is too old. Update it, then look again.',
    notRunning: 'Tailscale is not running. Start it, then look again.',
    notPermitted:
      'Tailscale does not let this app change its settings. Run “sudo tailscale set --operator=$USER” once in a terminal, then try again.',
    signedOut: 'You are not signed in to Tailscale. Sign in there, then look again.',
    notApproved: 'This computer waits for approval in your tailnet. Approve it there, then look again.',
    disconnected: 'Tailscale is switched off. Connect it, then look again.',
    offline: 'Tailscale has no connection. Check the internet connection of this computer.',
    noName: 'This computer has no name in your tailnet. Turn on MagicDNS there, then look again.',
    httpsOff: 'HTTPS certificates are off in your tailnet. Turn them on there, then try again.',
    notAllowed:
      'Your tailnet does not allow Funnel for this computer or port. Allow it there, then try again.',
    occupied:
      'Port 443 of this name already leads to another program. It stays as it is: choose another port, or end it in Tailscale.',
    renamed:
      'This computer has another name in your tailnet now, so the public address no longer leads here. Take it back, then go public again.',
    unclear: 'Tailscale sent a response that this app cannot read.',
    consent: 'Tailscale asks for your consent on a page in your browser. Afterwards this goes on by itself.',
    refused: 'Tailscale waits for your consent. Give it on its page, then try again.',
    closed: 'Tailscale no longer passes requests on. Go public again, or take the address back.',
  } satisfies Record<Explained, string>,
}
