// What the DNS engine of AdGuard Home does with rules. Standard input is a JSON array of `{ "lines", "hosts" }`. The
// program prints a JSON array with an object for each, in which each host has a verdict:
//
//	"h"  blocked: no address, the null address or that of this machine
//	"r"  rewritten: another address or name
//	"w"  let through by an exception
//	""   no rule decides
//
// The answers for IPv4 and for IPv6 count: if one is not blocked, it is the verdict.
package main

import (
	"encoding/json"
	"log"
	"net/netip"
	"os"
	"strings"

	"github.com/AdguardTeam/urlfilter"
	"github.com/AdguardTeam/urlfilter/filterlist"
	"github.com/AdguardTeam/urlfilter/rules"
	"github.com/miekg/dns"
)

const (
	open      = ""
	blocked   = "h"
	rewritten = "r"
	excepted  = "w"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// ofAddresses returns the verdict for an answer with these addresses.
func ofAddresses(addresses []netip.Addr) string {
	for _, address := range addresses {
		if !address.IsUnspecified() && !address.IsLoopback() {
			return rewritten
		}
	}
	return blocked
}

// ofRewrites returns the verdict for $dnsrewrite rules. A failure code takes precedence over
// addresses.
func ofRewrites(found []*rules.NetworkRule, kind rules.RRType) string {
	var addresses []netip.Addr
	for _, rule := range found {
		rewrite := rule.DNSRewrite
		if rewrite.NewCNAME != "" {
			return rewritten
		}
		if rewrite.RCode != dns.RcodeSuccess {
			return blocked
		}
		if address, ok := rewrite.Value.(netip.Addr); ok && rewrite.RRType == kind {
			addresses = append(addresses, address)
		}
	}
	return ofAddresses(addresses)
}

func verdict(engine *urlfilter.DNSEngine, host string, kind rules.RRType) string {
	result, matched := engine.MatchRequest(&urlfilter.DNSRequest{Hostname: host, DNSType: kind})
	if rewrites := result.DNSRewrites(); len(rewrites) > 0 {
		return ofRewrites(rewrites, kind)
	}
	if !matched {
		return open
	}
	if result.NetworkRule != nil && result.NetworkRule.Whitelist {
		return excepted
	}
	hostRules := result.HostRulesV4
	if kind == dns.TypeAAAA {
		hostRules = result.HostRulesV6
	}
	var addresses []netip.Addr
	for _, rule := range hostRules {
		addresses = append(addresses, rule.IP)
	}
	return ofAddresses(addresses)
}

func main() {
	var cases []struct{ Lines, Hosts []string }
	check(json.NewDecoder(os.Stdin).Decode(&cases))
	answers := []map[string]string{}
	for _, one := range cases {
		list := &filterlist.StringRuleList{RulesText: strings.Join(one.Lines, "\n")}
		storage, err := filterlist.NewRuleStorage([]filterlist.RuleList{list})
		check(err)
		engine := urlfilter.NewDNSEngine(storage)
		verdicts := map[string]string{}
		for _, host := range one.Hosts {
			verdicts[host] = verdict(engine, host, dns.TypeA)
			if verdicts[host] == blocked {
				verdicts[host] = verdict(engine, host, dns.TypeAAAA)
			}
		}
		answers = append(answers, verdicts)
	}
	check(json.NewEncoder(os.Stdout).Encode(answers))
}
