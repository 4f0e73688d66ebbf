import type { NetworkInterfaceInfo } from 'node:os'
import { expect, test } from 'vitest'
import { localAddresses } from '../../../../server/operation/doctor/local-addresses.ts'

const v4 = (address: string, internal = false): NetworkInterfaceInfo => ({
  ...{ address, internal, family: 'IPv4', netmask: '255.255.255.0', mac: '00:00:00:00:00:00', cidr: null },
})
const v6: NetworkInterfaceInfo = { ...v4('fe80::1'), family: 'IPv6', scopeid: 0 }

test('the address of the home network comes before those of containers, tunnels and failed leases', () => {
  const interfaces = {
    lo: [v4('127.0.0.1', true)],
    docker0: [v4('172.17.0.1')],
    'vEthernet (WSL)': [v4('172.28.0.1')],
    tailscale0: [v4('100.64.0.7')],
    eth0: [v4('169.254.3.4')],
    wlan0: [v6, v4('192.168.1.5')],
  }
  expect(localAddresses(2583, interfaces)).toEqual([
    'http://192.168.1.5:2583',
    'http://172.17.0.1:2583',
    'http://172.28.0.1:2583',
    'http://100.64.0.7:2583',
    'http://169.254.3.4:2583',
  ])
  expect(localAddresses(2583, {})).toEqual([])
})
