/** Fixes for the problems that the check of the network finds, and complete configurations of proxies. */
import type { network } from './network.ts'

interface Fix {
  /** The fix. */
  readonly text: string
  /** A line of a configuration, or a command. */
  readonly code?: string
}

/** Values that the texts of a fix depend on. */
export interface FixContext {
  readonly host: string
  /** The port to which a proxy leads. */
  readonly port: number
  /** The object of the remedy, such as a host name. */
  readonly subject: string
  /** Largest upload in MB. */
  readonly megabytes: number
  /** Whether settings are changed in the app, rather than by variables. */
  readonly isDesktop: boolean
}

export type ProxyName = keyof typeof network.proxies
type Fixes = Readonly<Record<ProxyName, (context: FixContext) => Fix>>

const inSettings = (label: string, variable: string, value: string, isDesktop: boolean): Fix =>
  isDesktop
    ? { text: `Set “${label}” on this screen to:`, code: value }
    : { text: 'Start the server with this setting:', code: `${variable}=${value}` }

const createRecord = ({ subject }: FixContext): Fix => ({
  text: `At your domain’s provider create a record of type A for ${subject} with the public address of your network. In your router, forward the ports 80 and 443 to this computer.`,
})

const noNamesBelow = {
  text: 'Tailscale has no names below its own. The owner can use the public name itself as a handle. Others need a domain of their own, and prove it with a DNS record.',
}

const elsewhere = { text: 'This proxy does it by itself. Look for another proxy in front of it.' }

/** Fixes of problems, by remedy; where the fix depends on the proxy, by remedy and proxy. */
export const fixes: Readonly<Record<string, Fixes | ((context: FixContext) => Fix)>> = {
  setPublicUrl: ({ isDesktop }) =>
    inSettings('Public address', 'PDS_PUBLIC_URL', 'https://pds.example.com', isDesktop),
  setDns: {
    caddy: createRecord,
    nginx: createRecord,
    tailscale: ({ port }) => ({
      text: 'Inside your tailnet the name leads to a private address, which is fine. Outside it exists once Funnel is on:',
      code: `tailscale funnel --bg ${port}`,
    }),
    cloudflared: ({ subject }) => ({
      text: 'Create the record with this command, with the name of your tunnel:',
      code: `cloudflared tunnel route dns pds ${subject}`,
    }),
  },
  setTls: {
    caddy: () => ({
      text: 'Caddy gets certificates itself when the ports 80 and 443 reach it. Its log says what fails:',
      code: 'journalctl -u caddy --since "1 hour ago"',
    }),
    nginx: ({ subject }) => ({
      text: 'Get a certificate, and have it renewed automatically:',
      code: `certbot --nginx -d ${subject}`,
    }),
    tailscale: () => ({
      text: 'In the admin console of Tailscale turn on HTTPS certificates, on the page DNS.',
    }),
    cloudflared: () => ({
      text: 'Cloudflare’s free certificate covers names one level below your domain. Use such a name, or order an advanced certificate.',
    }),
  },
  setProxy: () => ({
    text: 'Compare your proxy with the configuration under “Reverse proxy or tunnel”.',
  }),
  setUpstream: {
    caddy: ({ port }) => ({
      text: 'Point the proxy to the port of the server:',
      code: `reverse_proxy 127.0.0.1:${port}`,
    }),
    nginx: ({ port }) => ({
      text: 'Point the proxy to the port of the server:',
      code: `proxy_pass http://127.0.0.1:${port};`,
    }),
    tailscale: ({ port }) => ({
      text: 'Point Funnel to the port of the server:',
      code: `tailscale funnel --bg ${port}`,
    }),
    cloudflared: ({ port }) => ({
      text: 'Point the tunnel to the port of the server:',
      code: `service: http://localhost:${port}`,
    }),
  },
  passHost: {
    caddy: () => ({ text: 'Remove “header_up Host” from the Caddyfile. Caddy then passes the name on.' }),
    nginx: () => ({ text: 'Add this line to the location:', code: 'proxy_set_header Host $host;' }),
    tailscale: () => elsewhere,
    cloudflared: () => ({ text: 'Remove “httpHostHeader” from originRequest in config.yml.' }),
  },
  passClientAddress: {
    caddy: () => ({
      text: 'Remove “header_up X-Forwarded-For” from the Caddyfile. Caddy then sends it itself.',
    }),
    nginx: () => ({
      text: 'Add this line to the location:',
      code: 'proxy_set_header X-Forwarded-For $remote_addr;',
    }),
    tailscale: () => elsewhere,
    cloudflared: () => elsewhere,
  },
  trustProxy: ({ subject, isDesktop }) =>
    inSettings(
      'Trusted proxies',
      'PDS_TRUSTED_PROXIES',
      /^(127\.|::1$)/.test(subject) ? 'loopback' : subject,
      isDesktop,
    ),
  separatePort: ({ port, isDesktop }) => ({
    text: isDesktop
      ? 'Set “Port for a proxy on this computer” on this screen to another port than that of the server, and lead the proxy to it:'
      : 'Start the server with this setting, and lead the proxy to that port:',
    code: isDesktop ? String(port + 1) : `PDS_PROXY_PORT=${port + 1}`,
  }),
  raiseBodySize: {
    caddy: () => ({ text: 'Remove “request_body” from the Caddyfile. Caddy then has no limit.' }),
    nginx: ({ megabytes }) => ({
      text: 'Add these lines to the server:',
      code: `client_max_body_size ${megabytes}m;\nproxy_request_buffering off;`,
    }),
    tailscale: () => elsewhere,
    cloudflared: () => ({
      text: 'Cloudflare’s free plan allows uploads of 100 MB. Look for a smaller limit in its rules.',
    }),
  },
  passUpgrade: {
    caddy: () => elsewhere,
    nginx: () => ({
      text: 'Add these lines to the location:',
      code: 'proxy_http_version 1.1;\nproxy_set_header Upgrade $http_upgrade;\nproxy_set_header Connection "upgrade";',
    }),
    tailscale: () => elsewhere,
    cloudflared: () => ({
      text: 'In Cloudflare’s dashboard turn on WebSockets, on the page Network of your domain.',
    }),
  },
  setHandleDomain: ({ host, isDesktop }) =>
    isDesktop
      ? {
          text: 'Set “Handle domains” on the Server screen to this, then change the handles of accounts:',
          code: `.${host}`,
        }
      : {
          text: 'Start the server with this setting, then change the handles of accounts:',
          code: `PDS_USER_DOMAINS=.${host}`,
        },
  setHandleDns: {
    caddy: ({ host }) => ({
      text: `At your domain’s provider create a record for every name below ${host} that leads to the same address:`,
      code: `*.${host}`,
    }),
    nginx: ({ host }) => ({
      text: `At your domain’s provider create a record for every name below ${host} that leads to the same address. In nginx add the name:`,
      code: `server_name ${host} *.${host};`,
    }),
    tailscale: () => noNamesBelow,
    cloudflared: ({ host }) => ({
      text: 'Add the name to the tunnel, with the name of your tunnel:',
      code: `cloudflared tunnel route dns pds "*.${host}"`,
    }),
  },
  setHandleTls: {
    caddy: ({ port }) => ({
      text: 'Let Caddy get certificates for handles on demand, as in the configuration under “Reverse proxy or tunnel”:',
      code: `ask http://127.0.0.1:${port}/xrpc/com.core.server.checkDomain`,
    }),
    nginx: ({ host }) => ({
      text: 'Get a certificate for every name, which needs a DNS record that Certbot describes:',
      code: `certbot certonly --manual --preferred-challenges dns -d ${host} -d "*.${host}"`,
    }),
    tailscale: () => noNamesBelow,
    cloudflared: () => ({
      text: 'Cloudflare’s free certificate covers names one level below your domain. Use handles there, or order an advanced certificate.',
    }),
  },
  setDirectory: ({ isDesktop }) =>
    inSettings('PLC directory', 'PDS_PLC_URL', 'https://plc.directory', isDesktop),
  setRelays: ({ isDesktop }) => inSettings('Relays', 'PDS_RELAYS', 'https://relay.example.com', isDesktop),
  requireInvites: ({ isDesktop }) =>
    isDesktop
      ? { text: 'Set “Invite codes” on the Server screen to “Required once others can reach the server”.' }
      : { text: 'Start the server with this setting:', code: 'PDS_INVITE_REQUIRED=auto' },
}

interface Server {
  readonly host: string
  readonly port: number
  /** Largest upload in MB. */
  readonly megabytes: number
}

/** A whole configuration for each proxy. */
export const configurations: Readonly<Record<ProxyName, (server: Server) => string>> = {
  caddy: ({ host, port }) => `{
	on_demand_tls {
		ask http://127.0.0.1:${port}/xrpc/com.core.server.checkDomain
	}
}

${host}, *.${host} {
	tls {
		on_demand
	}
	reverse_proxy 127.0.0.1:${port}
}`,
  nginx: ({ host, port, megabytes }) => `map $http_upgrade $connection_upgrade {
    default upgrade;
    ''      close;
}

server {
    listen 443 ssl;
    server_name ${host} *.${host};
    ssl_certificate     /etc/letsencrypt/live/${host}/fullchain.pem;
    ssl_certificate_key /etc/letsencrypt/live/${host}/privkey.pem;
    client_max_body_size ${megabytes}m;
    proxy_request_buffering off;

    location / {
        proxy_pass http://127.0.0.1:${port};
        proxy_http_version 1.1;
        proxy_set_header Host $host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_set_header X-Forwarded-Host $host;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection $connection_upgrade;
        proxy_read_timeout 1h;
    }
}`,
  tailscale: ({ port }) => `tailscale funnel --bg ${port}
tailscale funnel status`,
  cloudflared: ({ host, port }) => `# config.yml
ingress:
  - hostname: ${host}
    service: http://localhost:${port}
  - hostname: "*.${host}"
    service: http://localhost:${port}
  - service: http_status:404

# commands
cloudflared tunnel route dns pds ${host}
cloudflared tunnel route dns pds "*.${host}"`,
}
