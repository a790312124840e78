import { createServer, Packet } from 'dns2';
import { DNS_SERVICE_IP } from '../addresses';
import { shell } from '../shell';
import { type DnsRecord, type DnsSource, recordsOf } from './records';

export interface DnsServer {
  close(): Promise<void>;
}

/** Seconds that an answer may be kept: CoreDNS's default for the names of a cluster. */
const TTL = 5;

/** Stands in for the cluster's DNS, at its usual address. It knows no names but the cluster's. */
export async function startDns(source: DnsSource): Promise<DnsServer> {
  await shell('ip addr replace "$1/32" dev lo', DNS_SERVICE_IP);
  const server = createServer({
    udp: true,
    tcp: true,
    handle(request, send) {
      const response = Packet.createResponseFromRequest(request);
      response.header.aa = 1;
      const [question] = request.questions;
      const records = question === undefined ? undefined : recordsOf(question.name, source);
      if (records === undefined) response.header.rcode = Packet.RCODE.NXDOMAIN;
      else response.answers = records.filter(({ type }) => asked(question!.type, type)).map(toAnswer(question!.name));
      send(response).catch(() => {});
    },
  });
  const at = { port: 53, address: DNS_SERVICE_IP };
  await server.listen({ udp: at, tcp: at });
  return { close: () => server.close() };
}

const asked = (question: number, type: DnsRecord['type']) =>
  type === 'CNAME' || question === Packet.TYPE[type] || question === Packet.TYPE.ANY;

const toAnswer =
  (name: string) =>
  (record: DnsRecord): Packet.Resource =>
    Object.assign(new Packet.Resource(name, Packet.TYPE[record.type], Packet.CLASS.IN, TTL), fieldsOf(record));

function fieldsOf(record: DnsRecord): Partial<Packet.Resource> {
  switch (record.type) {
    case 'A':
      return { address: record.address };
    case 'CNAME':
      return { domain: record.domain };
    case 'SRV':
      return { priority: 0, weight: 1, port: record.port, target: record.target };
  }
}
